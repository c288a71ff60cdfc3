/** Something that is permitted but that an admin should know; shown as a condition and one Event per change. */
export interface Warning {
  /** Stable, fit for the condition's type and for metrics. */
  readonly code:
    | 'DenyEntryMeaning'
    | 'InvalidPattern'
    | 'ControlPlaneDestination'
    | 'UnanchoredPattern'
    | 'ServiceAccountsUnused'
    | 'InvalidServiceAccount'
    | 'PrivilegedServiceAccount'
    | 'LabelTracking'
    | 'GlobalProject'
    | 'SourceNamespaces'
    | 'SyncWindow';
  /** Path of the field inside the project, or the key of the setting. */
  readonly field: string;
  readonly message: string;
}
