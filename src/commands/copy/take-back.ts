import type { Api } from '../../api/api.ts';
import { changeFields, publicity } from '../../api/change-val.ts';
import { textAt } from '../../api/record-fields.ts';
import * as routes from '../../api/routes.ts';
import { afterPart, BadResponseError, PartialError, RefusedError, ValsError } from '../../errors.ts';
import type { Target, ValThere } from './copy-target.ts';
import type { Copy, SentCopy } from './send-copy.ts';

/** Services may ignore the privacy that they are sent. */
export async function takeBackIfMorePublic(
  { original, there }: Copy,
  sent: SentCopy,
  { api, name }: Target,
): Promise<void> {
  const { privacy = 'public' } = original;
  if (privacy === 'public') return;
  const shown = await privacyOf(sent, api);
  if (publicity(shown, 0) <= publicity(privacy, 0)) return;
  const problem = `${original.name} is ${privacy}, but its copy on ${name} was ${shown}`;
  try {
    if (sent.isNew) await deleteCopy(sent, api);
    else await restore(there, sent, api);
  } catch (error) {
    if (!(error instanceof ValsError)) throw error;
    throw new PartialError(`${problem}. The copy could not be taken back: ${error.message}`, {
      hint: 'Delete the copy on that service.',
    });
  }
  throw new RefusedError(`${problem}, so it was taken back.`, {
    hint: 'Copy only public vals to that service.',
  });
}

async function privacyOf({ id, answers }: SentCopy, api: Api): Promise<string | undefined> {
  const shown = answers.at(-1)?.privacy;
  if (shown !== undefined || id === undefined) return shown;
  try {
    return textAt(await api.record(routes.getVal(id)), 'privacy');
  } catch (error) {
    throw afterPart(error, 'The val was copied before, but the privacy of the copy is not known.');
  }
}

async function deleteCopy({ id }: SentCopy, api: Api): Promise<void> {
  if (id === undefined) throw new BadResponseError('The service did not send its id.');
  await api.send(routes.deleteVal(id));
}

/** Deletes the new versions, because everybody could read their code beside that of an older version. */
async function restore(there: ValThere | undefined, { answers }: SentCopy, api: Api): Promise<void> {
  if (there === undefined) throw new BadResponseError('It is not known what it replaced.');
  for (const { version } of answers.toReversed()) {
    if (version === undefined) throw new BadResponseError('The service did not send its version.');
    await api.send(routes.deleteVersion(there.id, version));
  }
  const { readme = '', privacy } = there;
  await changeFields(api, there.id, { readme, ...(privacy && { privacy }) });
}
