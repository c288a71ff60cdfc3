import { builtins } from './scenarios/builtins.ts';
import { corners } from './scenarios/corners.ts';
import { lists } from './scenarios/lists.ts';
import { ownership } from './scenarios/ownership.ts';
import { patches } from './scenarios/patches.ts';
import type { Scenario } from './scenarios/scenario.ts';

/** Everything that is recorded from a real API server and replayed against our merge. */
/** What is recorded from a real API server, request by request. */
export const scenarios: readonly Scenario[] = [...ownership, ...lists, ...builtins, ...corners, ...patches];
