// Copies one val. A val of that name on the target is compared by its versions there and the val's versions here.

import type { Remark } from '../../../core/command-line/failures.ts';
import {
  BadResponseError,
  ConflictError,
  hasStatus,
  isInvalidRequest,
  RefusedError,
} from '../../../core/errors.ts';
import type { Api } from '../../../core/http/api.ts';
import type { Call, Reply } from '../../../core/http/call.ts';
import { publicity } from '../../../core/http/change-val.ts';
import { codeOf as codeIn, textAt, versionOf } from '../../../core/http/record-fields.ts';
import { sh } from '../../../core/lib/hint.ts';
import { withoutUndefined } from '../../../core/lib/json.ts';
import type { Outcome } from '../../../core/output/outcome.ts';
import * as routes from '../../../core/routes.ts';
import { type CodeWithText, codeOf, isSameCode } from '../../code.ts';
import { numberCodes } from '../../compare/code-numbers.ts';
import { compareHistories } from '../../compare/compare-histories.ts';
import type { Status } from '../../compare/types.ts';
import type { Remotes, RemoteVal } from '../../read/remotes.ts';
import type { Target } from './copy-target.ts';

export interface CopyOptions {
  from: { api: Api; remotes: Remotes };
  target: Target;
  env: NodeJS.ProcessEnv;
  force: boolean;
  dryRun: boolean;
}

interface ValToCopy {
  id: string;
  givenName: string | undefined;
}

interface Original {
  id: string;
  name: string;
  version: number | undefined;
  code: CodeWithText;
  fields: Fields;
}

type Fields = Pick<routes.ValFields, 'readme' | 'privacy'>;

export async function copyVal(
  val: ValToCopy,
  options: CopyOptions,
  addRemark: (remark: Remark) => void,
): Promise<Outcome> {
  const { target, force, dryRun } = options;
  const original = await readOriginal(val, options);
  const { name } = original;
  const there = await target.remotes.find(name);
  const before = there.kind === 'val' ? there : undefined;
  const row = withoutUndefined({ name, id: before?.id });
  const status = before === undefined ? 'changed here' : await compareWithCopy(original, before, options);
  if (status === 'unchanged') return { ...row, status, ...withoutUndefined({ version: before?.version }) };
  if (status !== 'changed here' && !force) throw conflict(original, problems[status], target);
  const calls = await callsFor(original, before, { ...options, replaces: force && there.kind === 'unknown' });
  for (const api of [options.from.api, target.api]) api.refuseToken(calls.whole);
  const versionBefore = withoutUndefined({ versionBefore: before?.version });
  if (dryRun) {
    return { ...row, status: 'planned', plan: before === undefined ? 'create' : 'send', ...versionBefore };
  }
  const reply = await send(calls, original, target, addRemark);
  const { body = null } = reply;
  const id = textAt(body, 'id') ?? before?.id;
  const version = versionOf(body);
  await refuseMorePublic(original, { id, privacy: textAt(body, 'privacy') }, target);
  return {
    ...row,
    status: before === undefined ? statusOfNew(reply) : statusOfReplaced(version, before.version),
    ...withoutUndefined({ id, version }),
    ...versionBefore,
  };
}

/** A val that the user named is copied under that name, even if the service now calls it by another one. */
async function readOriginal({ id, givenName }: ValToCopy, { from }: CopyOptions): Promise<Original> {
  const record = await from.api.record(routes.getVal(id));
  const name = givenName ?? textAt(record, 'name');
  if (name === undefined) {
    throw new BadResponseError(`The service sent no name for the val ${id}, so the val cannot be copied.`, {
      hint: 'Give the val a name on the service, then run the command again.',
    });
  }
  const readme = textAt(record, 'readme');
  const privacy = textAt(record, 'privacy');
  return {
    ...{ id, name, version: versionOf(record), code: codeOf(codeIn(record)) },
    fields: { ...(readme && { readme }), ...(privacy && { privacy }) },
  };
}

const mostVersionsHere = 100;

async function compareWithCopy(
  { id, name, version, code }: Original,
  there: RemoteVal,
  { from, target, env }: CopyOptions,
): Promise<Status> {
  if (isSameCode(code, there.code)) return 'unchanged';
  const here = {
    kind: 'val',
    id,
    name,
    version,
    code,
    madeAt: undefined,
    madeBy: undefined,
    etag: undefined,
    owner: undefined,
  } as const;
  const [known, own] = await Promise.all([
    target.remotes.versions(there),
    from.remotes.versions(here, mostVersionsHere),
  ]);
  const numbers = numberCodes(
    [...own, ...known].map((each) => each.code),
    { isLong: false },
  );
  const versions = new Set(known.map((each) => numbers.of(each.code)));
  const file = own.map((each) => numbers.of(each.code)).filter((number) => versions.has(number));
  const current = numbers.of(code);
  const madeThere = Date.parse(known.at(-1)?.madeAt ?? '');
  const histories = {
    ...{ here: code, known, numbers },
    file: [...file, current],
    isSetSince: own.some(
      (each) => numbers.of(each.code) === current && Date.parse(each.madeAt ?? '') > madeThere,
    ),
    read: (each: { version: number | undefined }) => target.remotes.readVersion(there, each.version),
  };
  return (await compareHistories(histories, env)).status;
}

interface Calls {
  whole: Call;
  /** For a service that refuses the readme. Undefined without one. */
  withoutReadme: Call | undefined;
}

/** A val that is there is read once more, and is only made less public. */
async function callsFor(
  { name, code: { text: code }, fields }: Original,
  before: RemoteVal | undefined,
  { target, replaces }: CopyOptions & { replaces: boolean },
): Promise<Calls> {
  const variants = (fieldsToSend: Fields, callWith: (fields: Fields) => Call): Calls => {
    const { readme, ...others } = fieldsToSend;
    return {
      whole: callWith(fieldsToSend),
      withoutReadme: readme === undefined ? undefined : callWith(others),
    };
  };
  if (before === undefined) {
    return variants(fields, (each) =>
      replaces ? routes.putVal(name, code, each) : routes.createVal({ name, code, ...each }),
    );
  }
  const { record, etag } = await target.api.recordWithEtag(routes.getVal(before.id));
  const isAsCompared =
    isSameCode(codeOf(codeIn(record)), before.code) && versionOf(record) === before.version;
  if (!isAsCompared) throw changedMeanwhile(name, target);
  const { readme, privacy } = fields;
  const isNarrower = publicity(privacy, 0) < publicity(textAt(record, 'privacy'), 2);
  const changed = {
    ...(readme !== undefined && readme !== textAt(record, 'readme') && { readme }),
    ...(privacy !== undefined && isNarrower && { privacy }),
  };
  return variants(changed, (each) => ({ ...routes.createVersion(before.id, code, each), ifMatch: etag }));
}

const changedMeanwhile = (name: string, target: Target): ConflictError =>
  new ConflictError(`${name} has just changed on ${target.name}.`, { hint: 'Run the command again.' });

async function send(
  { whole, withoutReadme }: Calls,
  original: Original,
  target: Target,
  addRemark: (remark: Remark) => void,
): Promise<Reply> {
  try {
    return await target.api.send(whole);
  } catch (error) {
    if (hasStatus(error, 412)) throw changedMeanwhile(original.name, target);
    if (hasStatus(error, 409)) throw conflict(original, 'exists already', target);
    if (!isInvalidRequest(error) || withoutReadme === undefined) throw error;
    const reply = await target.api.send(withoutReadme);
    const { name } = original;
    addRemark({
      label: name,
      message: `${name} was copied without the readme, which ${target.name} refused.`,
      namesThing: true,
    });
    return reply;
  }
}

const statusOfNew = ({ status }: Reply) => (status === 201 ? 'created' : 'sent');

const statusOfReplaced = (version: number | undefined, before: number | undefined) =>
  version !== undefined && before !== undefined && version > before ? 'pushed' : 'sent';

/** Services may ignore the privacy that they are sent. */
async function refuseMorePublic(
  { id: idHere, name, fields }: Original,
  copy: { id: string | undefined; privacy: string | undefined },
  target: Target,
): Promise<void> {
  const { privacy } = fields;
  if (privacy === undefined || privacy === 'public') return;
  const { id } = copy;
  const shown = copy.privacy ?? (id && textAt(await target.api.record(routes.getVal(id)), 'privacy'));
  if (shown === undefined || publicity(shown, 0) <= publicity(privacy, 0)) return;
  throw new RefusedError(`${name} is ${privacy}, but its copy on ${target.name} is ${shown}.`, {
    hint: sh`To make the copy ${privacy}, run ${['val', 'set', id ?? idHere, '--privacy', privacy, '--base-url', target.name]}.`,
  });
}

const problems: Readonly<Record<Exclude<Status, 'unchanged' | 'changed here'>, string>> = {
  'changed there': 'has newer code',
  conflict: 'has different code',
};

const conflict = ({ name }: Original, problem: string, target: Target): ConflictError =>
  new ConflictError(`${name} ${problem} on ${target.name}.`, {
    hint: [
      sh`To see the code there, run ${['val', 'get', name, '--code', '--base-url', target.name]}.`,
      sh`To overwrite it, run ${['copy', name, '--to', target.name, '--force']}.`,
    ],
  });
