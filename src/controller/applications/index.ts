export { type Applications, type ApplicationsOptions, keyOf, watchApplications } from './applications.ts';
