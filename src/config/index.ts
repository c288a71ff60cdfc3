/**
 * The one reader of arguments, environment and the files they name: read once, validated, frozen, handed on as values.
 *
 * Other rooms get plain arguments. Begin with `process.ts`.
 */
export { argumentsOf, environment, homeDirectory, isInteractive, packageVersion, toolsDirectory } from './process.ts';
