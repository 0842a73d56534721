// What the answer to a write showed, and no more.
import type { Context } from '../../command-line/command.ts';
import { labelOf } from '../../command-line/resolve-vals.ts';
import { undefinedIf, ValsError } from '../../errors.ts';
import type { GivenVal } from '../../find-val/find-val.ts';
import type { Reply } from '../../http/call.ts';
import { versionOf } from '../../http/record-fields.ts';
import { presentVersion } from '../../http/versions.ts';
import { isObject, type JsonObject, textAt, withoutUndefined } from '../../lib/json.ts';
import { isSameCode } from '../../lib/vals.ts';
import type { Result } from '../../output/out.ts';
import * as routes from '../../routes.ts';

/** `accepted`: the answer does not show whether there is a new version. */
type Addition = 'added' | 'already there' | 'accepted';

interface Written {
  val: GivenVal;
  /** The code that was sent. */
  code: string;
  reply: Reply;
  /** The version that the val had, if it was read before. */
  before: number | undefined;
}

function additionIn({ reply: { status, body }, code, before }: Written): Addition {
  const version = versionOf(body);
  if (version === undefined) return status === 201 ? 'added' : 'accepted';
  if (before === undefined ? status === 201 : version > before) return 'added';
  const isThere = before === undefined ? status === 200 : version === before;
  return isThere && isSameCode(textAt(body, 'code') ?? code, code) ? 'already there' : 'accepted';
}

/** The version that the val had when it was read to find out which val the user means. */
export const versionRead = ({ read }: GivenVal): number | undefined => versionOf(read?.record);

export async function additionResult(
  context: Pick<Context, 'api' | 'out' | 'flags'>,
  written: Written,
  addedSentence: (label: string, version: number) => string,
): Promise<Result> {
  const { val, reply } = written;
  const addition = additionIn(written);
  const needsNoNumber = context.out.forPerson && addition === 'accepted';
  const record = needsNoNumber || isForProgram(context) ? undefined : await completed(context, written);
  const shown = record === undefined ? reply : { ...reply, body: record };
  const label = textAt(shown.body, 'name') ?? labelOf(val);
  const version = versionOf(shown.body);
  if (addition === 'accepted' || version === undefined)
    return writtenResult(context, shown, `The service accepted the code of ${label}.`);
  if (addition === 'added') return writtenResult(context, shown, addedSentence(label, version));
  context.out.say({ kind: 'note', text: `Version ${version} already has this code.` });
  return writtenResult(context, shown, '');
}

/** The answer, with the name, id and version of the val. The change is made, so it does not fail if they cannot be read. */
async function completed(
  { api: connect }: Pick<Context, 'api'>,
  { val, reply: { body } }: Written,
): Promise<JsonObject> {
  const api = await connect();
  const record = isObject(body) ? body : {};
  const name = textAt(record, 'name') ?? val.name;
  const ifRead = undefinedIf(ValsError);
  const read = name === undefined ? await api.record(routes.getVal(val)).catch(ifRead) : undefined;
  const version = versionOf(record) ?? (await presentVersion(api, val, read).catch(ifRead));
  const known = withoutUndefined({ name: name ?? textAt(read, 'name'), version });
  return { id: val.id, ...record, ...known };
}

export const newVersionSentence = (label: string, version: number): string =>
  `${label} is now version ${version}.`;

export const isForProgram = ({ flags }: Pick<Context, 'flags'>): boolean =>
  Boolean(flags.json || flags.ndjson);

/** The record is for pipes and scripts: for a person, the sentence sums up the change. */
export function writtenResult(
  context: Pick<Context, 'flags'>,
  { body }: Pick<Reply, 'body'>,
  sentence: string,
): Result {
  if (isObject(body)) return { kind: 'record', record: body, sentence };
  return isForProgram(context) ? { kind: 'json', value: null } : { kind: 'nothing', sentence };
}
