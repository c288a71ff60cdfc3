/**
 * What the installation is told: ConfigMaps, projects, cluster and repository Secrets, watched and read into snapshots.
 *
 * It keeps the last good value of what turns invalid, says so, and names what changed. What a value means is for
 * `core/api`, what it permits for `core/policy`; nothing here connects to a cluster. Begin with `settings.ts`.
 */
export { type Change, changeBetween, isEmptyChange } from './change.ts';
export { planWatches, type WatchPlan } from './plan.ts';
export { type ObjectReference, type ReportParts, type SettingsReport, settingsReport } from './report.ts';
export { type SettingsOptions, type SettingsWatch, watchSettings } from './settings.ts';
export { defaultLimits, type TenantLimits } from './tenant-secrets.ts';
