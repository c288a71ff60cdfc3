export { register } from './policy.ts';
