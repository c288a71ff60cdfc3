import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusError } from '../ports.ts';
import { parseLabelSelector } from './label-selector.ts';

const labels = { app: 'web', tier: 'front', n: '5' };

const cases: [string, boolean][] = [
  ['', true],
  ['app=web', true],
  ['app==web', true],
  ['app=api', false],
  ['app!=api', true],
  ['other!=x', true],
  ['app', true],
  ['!app', false],
  ['!other', true],
  ['app in (web, api)', true],
  ['app in (api)', false],
  ['app notin (api)', true],
  ['other notin (x)', true],
  ['other in (x)', false],
  ['app=web,tier=front', true],
  ['app=web,tier=back', false],
  ['n>4', true],
  ['n<4', false],
  ['app in (web),!other', true],
  ['other=', false],
  ['constructor', false],
];
for (const [selector, wanted] of cases)
  test(`"${selector}" ${wanted ? 'matches' : 'does not match'}`, () =>
    assert.equal(parseLabelSelector(selector)(labels), wanted));

const broken: [string, RegExp][] = [
  ['a in', /^unable to parse requirement: found '' expected: '\('$/],
  ['a===b', /^unable to parse requirement: found '=', expected: identifier$/],
  ['-a', /^unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of/],
  ['a,', /expected: identifier after ','$/],
  ['a in (b', /expected: ',', '\)' or identifier$/],
];
for (const [selector, message] of broken)
  test(`"${selector}" is refused`, () =>
    assert.throws(
      () => parseLabelSelector(selector),
      (error) => error instanceof StatusError && error.status.code === 400 && message.test(error.message),
    ));
