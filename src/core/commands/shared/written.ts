// What the answer to a write showed, and no more.
import type { Context } from '../../command-line/command.ts';
import { labelOf } from '../../command-line/resolve-vals.ts';
import type { GivenVal } from '../../find-val/find-val.ts';
import type { Reply } from '../../http/call.ts';
import { textAt, versionOf } from '../../http/record-fields.ts';
import { isObject } from '../../lib/json.ts';
import type { Result } from '../../output/result.ts';

type Addition =
  | { kind: 'added'; version: number | undefined }
  | { kind: 'already there'; version: number }
  /** The answer does not show whether there is a new version. */
  | { kind: 'accepted' };

/** `before` is the version that the val had, if it was read before. */
function additionIn({ status, body = null }: Reply, before: number | undefined): Addition {
  const version = versionOf(body);
  if (version === undefined) return status === 201 ? { kind: 'added', version } : { kind: 'accepted' };
  if (before === undefined) {
    if (status === 201) return { kind: 'added', version };
    return status === 200 ? { kind: 'already there', version } : { kind: 'accepted' };
  }
  if (version > before) return { kind: 'added', version };
  return version === before ? { kind: 'already there', version } : { kind: 'accepted' };
}

/** The version that the val had when it was read to find out which val the user means. */
export const versionRead = ({ read }: GivenVal): number | undefined => versionOf(read?.record ?? null);

export function additionResult(
  context: Pick<Context, 'out' | 'flags'>,
  { val, reply, before }: { val: GivenVal; reply: Reply; before: number | undefined },
  addedSentence: (label: string, version: number | undefined) => string,
): Result {
  const { body = null } = reply;
  const label = textAt(body, 'name') ?? labelOf(val);
  const addition = additionIn(reply, before);
  switch (addition.kind) {
    case 'added':
      return writtenResult(context, reply, addedSentence(label, addition.version));
    case 'already there':
      context.out.say({ kind: 'note', text: `Version ${addition.version} already has this code.` });
      return writtenResult(context, reply, '');
    case 'accepted':
      return writtenResult(context, reply, `The service accepted the new version of ${label}.`);
  }
}

export const newVersionSentence = (label: string, version: number | undefined): string =>
  version === undefined ? `${label} has a new version.` : `${label} is now version ${version}.`;

/** The record is for pipes and scripts: for a person, the sentence sums up the change. */
export function writtenResult({ flags }: Pick<Context, 'flags'>, { body }: Reply, sentence: string): Result {
  if (isObject(body)) return { kind: 'record', record: body, sentence };
  return flags.json || flags.ndjson ? { kind: 'json', value: null } : { kind: 'nothing', sentence };
}
