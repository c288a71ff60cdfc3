import type { RespectRbac } from '../../core/api/index.ts';
import { type ArgosyError, isArgosyError } from '../../core/errors/index.ts';
import { type Meaning, type ReadTarget, type Review, type ReviewAnswer, readMeaning } from '../../core/policy/index.ts';
import type { CacheDoor } from '../../kube/index.ts';

/** What a refused list or watch was found to mean. */
export type Judgement = Exclude<Meaning, { means: 'review' }>;

const reviewMs = 10_000;

/** Whether an error speaks of rights, so that its meaning must be asked for. */
export function isRefusal(error: Error): error is ArgosyError {
  return isArgosyError(error) && (error.code === 'kube-unauthorized' || error.code === 'kube-forbidden');
}

/** What was refused: to list the kind, or only to watch it. */
export function refusedVerb({ message }: ArgosyError): 'list' | 'watch' {
  return message.startsWith('watch ') ? 'watch' : 'list';
}

/** Says what a refused list or watch means under the mode of the cluster, asking the cluster where the rules want it. */
export async function judge(
  door: CacheDoor,
  mode: RespectRbac,
  target: ReadTarget,
  error: ArgosyError,
): Promise<Judgement> {
  const answer = {
    verb: refusedVerb(error),
    status: error.status ?? (error.code === 'kube-unauthorized' ? 401 : 403),
    kubernetesStatus: true,
    acceptedElsewhere: error.code !== 'kube-unauthorized' || (await isAccepted(door, target)),
  };
  const meaning = readMeaning(mode, target, answer);
  if (meaning.means !== 'review') return meaning;
  const review = await answerOf(door, meaning.reviews);
  const settled = readMeaning(mode, target, { ...answer, review });
  if (settled.means !== 'review') return settled;
  return { means: 'undecided', message: error.message };
}

/** Any answer to a review, even a denial, shows that the credential itself is accepted. */
async function isAccepted(door: CacheDoor, { group, resource, namespace }: ReadTarget): Promise<boolean> {
  try {
    await door.mayI({ group, resource, verb: 'list', namespace }, { deadlineMs: reviewMs });
    return true;
  } catch (error) {
    return isArgosyError(error) && error.code === 'kube-forbidden';
  }
}

async function answerOf(door: CacheDoor, reviews: readonly Review[]): Promise<ReviewAnswer> {
  try {
    const answers = await Promise.all(reviews.map((review) => door.mayI(review, { deadlineMs: reviewMs })));
    return answers.every(Boolean) ? 'allowed' : 'denied';
  } catch {
    return 'failed';
  }
}
