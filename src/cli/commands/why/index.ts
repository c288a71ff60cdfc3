export { register } from './why.ts';
