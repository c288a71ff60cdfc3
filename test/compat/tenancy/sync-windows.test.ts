import assert from 'node:assert/strict';
import { test } from 'node:test';
import { permitsSync } from '../../../src/core/policy/index.ts';
import { Given, project } from './given.ts';
import { anywhere, app } from './one-project.ts';

const noon = Date.UTC(2026, 10, 16, 12, 0); // a Monday
const sync = (windows: string, request: { manual?: boolean; now?: number; startedAt?: number } = {}): string => {
  const given = new Given(
    project('p', `sourceRepos: ['*']\n${anywhere}\nsyncWindows:\n${windows}`) + app('https://g/x'),
  );
  const verdict = permitsSync(given.project('p'), given.app('shop'), { now: noon, manual: false, ...request });
  return verdict.answer === 'allowed' ? 'allowed' : verdict.message;
};
const blocked = 'cannot sync: blocked by sync window';
const window = (kind: string, schedule: string, more = "applications: ['*']"): string =>
  `- {kind: ${kind}, schedule: '${schedule}', duration: 1h, ${more}}\n`;

const windows: readonly [
  title: string,
  windows: string,
  request: { manual?: boolean; now?: number; startedAt?: number },
  open: boolean,
][] = [
  ['B23 an inactive allow window keeps automation out', window('allow', '0 3 * * *'), {}, false],
  ['B23 and a person, unless it says manualSync', window('allow', '0 3 * * *'), { manual: true }, false],
  [
    'B23 manualSync lets a person in',
    window('allow', '0 3 * * *', "applications: ['*'], manualSync: true"),
    { manual: true },
    true,
  ],
  ['B23 an active allow window lets automation in', window('allow', '30 11 * * *'), {}, true],
  ['B23 the start instant itself is not yet inside', window('allow', '0 12 * * *'), {}, false],
  ['B23 one millisecond later it is', window('allow', '0 12 * * *'), { now: noon + 1 }, true],
  ['B23 a window for others does not count', window('allow', '0 3 * * *', 'applications: [other]'), {}, true],
  [
    'B23 a window of a time zone opens by its clock',
    window('allow', '30 12 * * *', "applications: ['*'], timeZone: Europe/Vienna"),
    {},
    true,
  ],
  [
    'B23 and not by the clock of UTC',
    window('allow', '30 11 * * *', "applications: ['*'], timeZone: Europe/Vienna"),
    {},
    false,
  ],
  ['B23 both days restricted are joined by or', window('allow', '30 11 1 * mon'), {}, true],
  [
    'B23 andOperator needs every selector',
    window('deny', '30 11 * * *', "applications: ['*'], namespaces: [other], andOperator: true"),
    {},
    true,
  ],
  [
    'B23 without andOperator one selector suffices',
    window('deny', '30 11 * * *', 'applications: [other], namespaces: [shop]'),
    {},
    false,
  ],
  [
    'B23 a pattern with a slash asks for the namespace',
    window('deny', '30 11 * * *', "applications: ['argocd/*']"),
    {},
    false,
  ],
  [
    'B23 a selector that cannot be read blocks',
    window('deny', '0 3 * * *', "applications: [other, 'a[']"),
    { manual: true },
    false,
  ],
  ['B23 a selector that cannot be read opens nothing', window('allow', '30 11 * * *', "namespaces: ['{a']"), {}, false],
  ['B23 an unreadable window blocks', window('deny', 'never'), { manual: true }, false],
  [
    'B24 every active deny must let a person in',
    window('deny', '30 11 * * *', "applications: ['*'], manualSync: true") + window('deny', '40 11 * * *'),
    { manual: true },
    false,
  ],
  [
    'B24 all of them do',
    window('deny', '30 11 * * *', "applications: ['*'], manualSync: true"),
    { manual: true },
    true,
  ],
  ['B24 a deny wins over an allow', window('allow', '30 11 * * *') + window('deny', '30 11 * * *'), {}, false],
  [
    'B25 a running sync goes on where all denies overrun',
    window('deny', '30 11 * * *', "applications: ['*'], syncOverrun: true"),
    { startedAt: noon - 3_600_000 },
    true,
  ],
  [
    'B25 and stops where one does not',
    window('deny', '30 11 * * *', "applications: ['*'], syncOverrun: true") + window('deny', '40 11 * * *'),
    { startedAt: noon - 3_600_000 },
    false,
  ],
  [
    'B25 and where it was not permitted at its start',
    window('deny', '30 11 * * *', "applications: ['*'], syncOverrun: true"),
    { startedAt: noon - 60_000 },
    false,
  ],
];
for (const [title, list, request, open] of windows) {
  test(title, () => assert.equal(sync(list, request), open ? 'allowed' : blocked));
}
