export { register } from './app.ts';
