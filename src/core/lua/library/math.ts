import { modulo } from '../operations.ts';
import { type Implementation, library } from './arguments.ts';

const one =
  (compute: (x: number) => number): Implementation =>
  (args) =>
    compute(args.number(1));

const functions: Readonly<Record<string, Implementation>> = {
  abs: one(Math.abs),
  acos: one(Math.acos),
  asin: one(Math.asin),
  atan: one(Math.atan),
  atan2: (args) => Math.atan2(args.number(1), args.number(2)),
  ceil: one(Math.ceil),
  cos: one(Math.cos),
  deg: one((x) => (x * 180) / Math.PI),
  exp: one(Math.exp),
  floor: one(Math.floor),
  fmod: (args) => args.number(1) % args.number(2),
  log: (args) => Math.log(args.number(1)) / (args.at(2) === undefined ? 1 : Math.log(args.number(2))),
  log10: one(Math.log10),
  max: (args) => args.values.reduce<number>((most, _value, i) => Math.max(most, args.number(i + 1)), args.number(1)),
  min: (args) => args.values.reduce<number>((least, _value, i) => Math.min(least, args.number(i + 1)), args.number(1)),
  mod: (args) => modulo(args.number(1), args.number(2)),
  modf: (args) => [Math.trunc(args.number(1)), args.number(1) % 1],
  pow: (args) => args.number(1) ** args.number(2),
  rad: one((x) => (x * Math.PI) / 180),
  sin: one(Math.sin),
  sqrt: one(Math.sqrt),
  tan: one(Math.tan),
};

/** `math.*` without `random`: the same object must give the same health. */
export function mathLibrary(): ReturnType<typeof library> {
  const table = library(functions);
  table.set('huge', Number.POSITIVE_INFINITY);
  table.set('pi', Math.PI);
  return table;
}
