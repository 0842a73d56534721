import type { Api } from '../../api/api.ts';
import { fieldOf } from '../../api/change-val.ts';
import { codeOf, textAt, versionOf } from '../../api/record-fields.ts';
import * as routes from '../../api/routes.ts';
import type { AddRemark } from '../../cli/batch.ts';
import { BadResponseError, ConflictError, type Problem } from '../../errors.ts';
import { type JsonObject, withoutUndefined } from '../../lib/json.ts';
import type { Outcome } from '../../lib/outcome.ts';
import { idAndVersion, type ReadVal } from '../../workspace/remote-vals.ts';
import { distinctVersions } from '../shared/version-records.ts';
import { fieldsOf, fieldsToChange } from './copy-privacy.ts';
import type { Destination } from './copy-target.ts';
import { newCopy, overwrite, refuseTokens, sendCopy } from './send-copy.ts';

export interface CopyOptions {
  from: Api;
  target: Destination;
  versions: boolean;
  force: boolean;
  dryRun: boolean;
}

interface ValToCopy {
  id: string;
  givenName: string | undefined;
}

export async function copyVal(val: ValToCopy, options: CopyOptions, remark: AddRemark): Promise<Outcome> {
  const { id, givenName } = val;
  const source = await readSource(id, options);
  const name = textAt(source, 'name');
  if (name === undefined) {
    throw new BadResponseError(`The service sent no name for the val ${id}, so the val cannot be copied.`, {
      hint: 'Give the val a name on the service, then run the command again.',
    });
  }
  const remarkOn = (problem: Problem) => remark({ subject: name, problem });
  // If the val now has another name, --force would overwrite a val that the user did not name.
  if (givenName !== undefined && givenName !== name) throw otherName(givenName, name);
  const found = await options.target.vals.named(name);
  const there = found === 'unknown' ? undefined : found;
  const codes = await codesToSend(id, source, there, options);
  const first = await codes.next();
  const before = there?.version;
  const expectField = (field: string, expected: string | undefined, now: string | undefined) => {
    if (expected !== undefined && now !== undefined && now !== expected)
      remarkOn({
        one: `has another ${field} on ${options.target.name} than the original`,
        many: `have another ${field} on ${options.target.name} than the originals`,
      });
  };
  if (first.done) {
    expectField('privacy', textAt(source, 'privacy'), there?.privacy);
    return { name, status: 'unchanged', ...idAndVersion(there?.id, before) };
  }
  const row = { name, ...(before !== undefined && { versionBefore: before }) };
  const fields = there === undefined ? fieldsOf(source) : fieldsToChange(source, there, options.force);
  const copy = { name, source, there, fields, mayReplace: found === 'unknown' && options.force };
  refuseTokens(newCopy(name, first.value, fields), options);
  if (options.dryRun) return { ...row, status: 'planned', ...idAndVersion(there?.id, undefined) };
  const { sent, id: idThere, isReplaced } = await sendCopy(copy, first.value, codes, options, remarkOn);
  expectField('readme', fields.readme, fieldOf(sent, 'readme'));
  expectField('privacy', textAt(source, 'privacy'), fieldOf(sent, 'privacy'));
  return {
    ...row,
    status: there === undefined && !isReplaced ? 'created' : 'pushed',
    ...idAndVersion(idThere, versionOf(sent)),
  };
}

/** Returns only the fields to copy, because whole records of many vals would fill the memory. */
async function readSource(id: string, { from }: CopyOptions): Promise<JsonObject> {
  const record = await from.record(routes.getVal(id));
  const [name, readme] = ['name', 'readme'].map((field) => textAt(record, field));
  const privacy = fieldOf(record, 'privacy') ?? (record.public === false ? 'private' : undefined);
  const code = typeof record.code === 'string' ? record.code : undefined;
  return withoutUndefined({ name, readme, privacy, code });
}

const otherName = (name: string, nameNow: string): ConflictError =>
  new ConflictError(`The val "${name}" is named "${nameNow}" on the service. Nothing was copied.`, {
    hint: `To copy the val "${nameNow}", give its id.`,
  });

async function codesToSend(
  id: string,
  source: JsonObject,
  there: ReadVal | undefined,
  { from, target, versions, force }: CopyOptions,
): Promise<AsyncGenerator<string, undefined>> {
  const current = codeOf(source);
  const conflict = () => {
    const name = textAt(source, 'name');
    return new ConflictError(`${name} has different code on ${target.name}.`, {
      hint: overwrite,
    });
  };
  if (!versions) {
    if (there?.code === current) return codesOf();
    if (there !== undefined && !force) throw conflict();
    return codesOf(current);
  }
  const here = distinctVersions(from, { id, current });
  if (there?.id === undefined) return here;
  const valThere = { id: there.id, current: there.code };
  for await (const code of distinctVersions(target.api, valThere)) {
    const next = await here.next();
    if (next.value === code) continue;
    if (there.code === current) return codesOf();
    if (!force) throw conflict();
    return next.done ? codesOf(current) : prepend(next.value, here);
  }
  return here;
}

async function* codesOf(...codes: string[]): AsyncGenerator<string, undefined> {
  yield* codes;
  return undefined;
}

async function* prepend(
  first: string,
  rest: AsyncGenerator<string, undefined>,
): AsyncGenerator<string, undefined> {
  yield first;
  return yield* rest;
}
