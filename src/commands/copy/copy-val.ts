import type { Api } from '../../api/api.ts';
import type { Call } from '../../api/call.ts';
import { changeVal, fieldOf, publicity } from '../../api/change-val.ts';
import { codeOf, textAt, versionOf } from '../../api/records.ts';
import * as routes from '../../api/routes.ts';
import {
  afterPart,
  BadResponseError,
  ConflictError,
  isInvalidRequest,
  PartialError,
  RefusedError,
} from '../../errors.ts';
import { type JsonObject, withoutUndefined } from '../../lib/json.ts';
import type { Outcome } from '../../lib/outcome.ts';
import type { Turn } from '../../lib/slots.ts';
import { idAndVersion, type RemoteVal } from '../../workspace/remote-vals.ts';
import { distinctVersions } from '../shared/versions.ts';
import type { Target } from './target.ts';

export interface CopyOptions {
  from: Api;
  target: Target;
  versions: boolean;
  force: boolean;
  dryRun: boolean;
  turn: Turn;
}

type Remark = (message: string) => void;

interface ValToCopy {
  id: string;
  givenName: string | undefined;
}

export async function copyVal(val: ValToCopy, options: CopyOptions, remark: Remark): Promise<Outcome> {
  const { id, givenName } = val;
  const source = await readSource(id, options);
  const name = textAt(source, 'name');
  if (name === undefined) {
    throw new BadResponseError(`The service sent no name for the val ${id}, so the val cannot be copied.`, {
      hint: 'Give the val a name on the service, then run the command again.',
    });
  }
  // If the val now has another name, --force would overwrite a val that the user did not name.
  if (givenName !== undefined && givenName !== name) throw otherName(givenName, name);
  const found = await options.target.vals.inTurn(options.turn).named(name);
  const there = found === 'unknown' ? undefined : found;
  const codes = await codesToSend(id, source, there, options);
  const first = await codes.next();
  const before = there?.version;
  const expectField = (field: string, expected: string | undefined, now: string | undefined) => {
    if (expected !== undefined && now !== undefined && now !== expected)
      remark(`the ${field} of the copy on ${options.target.name} differs from the original`);
  };
  if (first.done) {
    expectField('privacy', textAt(source, 'privacy'), there?.privacy);
    return { name, status: 'unchanged', ...idAndVersion(there?.id, before) };
  }
  const facts = { name, ...(before !== undefined && { versionBefore: before }) };
  const { api } = options.target;
  const wanted = there === undefined ? fieldsOf(source) : fieldsToChange(source, there, options.force);
  const refuseTokens = (call: Call) => {
    for (const service of [options.from, api]) service.refuseToken(call);
  };
  refuseTokens(newVal(name, first.value, wanted));
  if (options.dryRun) return { ...facts, status: 'planned', ...idAndVersion(there?.id, undefined) };
  const { valMadePublic } = options.target;
  const mostPublic = narrower(textAt(source, 'privacy'), there?.privacy);
  if (valMadePublic !== undefined && mostPublic !== 'public')
    throw notPrivateThere(valMadePublic, options.target);

  const fields = await changePrivacyFirst(wanted, there, options.target);
  const mayReplace = found === 'unknown' && options.force;
  let isReplaced = false;
  const replace = (given: routes.ValFields) => {
    isReplaced = true;
    return sendWithFields(given, remark, (kept) => api.record(routes.putVal(name, first.value, kept)));
  };
  const send = (given: routes.ValFields) => {
    const id = there?.id;
    if (id !== undefined) return api.record(routes.createVersion(id, first.value, given));
    return api.record(newVal(name, first.value, given));
  };
  const sendFirst = () =>
    mayReplace && mayBePublic(fields)
      ? replace({})
      : sendWithFields(fields, remark, send).catch((error) => {
          // Some services ignore the privacy in `putVal`, so a val that is not public must not be created by it.
          if (mayReplace && error instanceof ConflictError) return replace(privacyOf(source));
          throw error;
        });
  let sent = await sendFirst().catch((error) => {
    throw fields === wanted ? error : afterPart(error, 'The privacy of the copy was changed before.');
  });
  const checkPrivacy = () => {
    const privacyNow = fieldOf(sent, 'privacy');
    if (publicity(privacyNow, 0) <= publicity(mostPublic, 0)) return;
    options.target.valMadePublic = name;
    throw madePublic(mostPublic, `${privacyNow}`, options.target);
  };
  checkPrivacy();
  const sentId = textAt(sent, 'id') ?? there?.id;
  try {
    for await (const code of codes) {
      const call = sentId === undefined ? routes.putVal(name, code) : routes.createVersion(sentId, code);
      refuseTokens(call);
      sent = { ...sent, ...(await api.record(call)) };
      checkPrivacy();
    }
  } catch (error) {
    throw afterPart(error, 'Older versions were copied before.');
  }
  expectField('readme', wanted.readme, fieldOf(sent, 'readme'));
  expectField('privacy', textAt(source, 'privacy'), fieldOf(sent, 'privacy'));
  return {
    ...facts,
    status: there === undefined && !isReplaced ? 'created' : 'pushed',
    ...idAndVersion(sentId, versionOf(sent)),
  };
}

/** Returns only the fields to copy, because the record of a hostile service may have a million other values. */
async function readSource(id: string, { from, turn }: CopyOptions): Promise<JsonObject> {
  const record = await from.record({ ...routes.getVal(id), turn });
  const [name, readme] = ['name', 'readme'].map((field) => textAt(record, field));
  const privacy = fieldOf(record, 'privacy') ?? (record.public === false ? 'private' : undefined);
  const code = typeof record.code === 'string' ? record.code : undefined;
  return withoutUndefined({ name, readme, privacy, code });
}

const otherName = (name: string, nameNow: string): ConflictError =>
  new ConflictError(`The val "${name}" is named "${nameNow}" on the service. Nothing was copied.`, {
    hint: `To copy the val "${nameNow}", give its id.`,
  });

const newVal = (name: string, code: string, fields: object) => ({
  ...routes.createVal({ name, code, ...fields }),
  hints: { 409: 'To overwrite the val, add --force.' },
});

async function codesToSend(
  id: string,
  source: JsonObject,
  there: RemoteVal | undefined,
  { from, target, versions, force, turn }: CopyOptions,
): Promise<AsyncGenerator<string, undefined>> {
  const current = codeOf(source);
  const conflict = () => {
    const name = textAt(source, 'name');
    return new ConflictError(`${name} has different code on ${target.name}.`, {
      hint: 'To overwrite the val, add --force.',
    });
  };
  if (!versions) {
    if (there?.code === current) return codesOf();
    if (there !== undefined && !force) throw conflict();
    return codesOf(current);
  }
  const here = distinctVersions(from, { id, current }, turn);
  if (there?.id === undefined) return here;
  const valThere = { id: there.id, current: there.code };
  for await (const code of distinctVersions(target.api, valThere, turn)) {
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

function fieldsOf(source: JsonObject): routes.ValFields {
  const readme = textAt(source, 'readme');
  const privacy = textAt(source, 'privacy');
  return { ...(readme && { readme }), ...(privacy && { privacy }) };
}

function privacyOf(source: JsonObject): routes.ValFields {
  const { privacy } = fieldsOf(source);
  return privacy === undefined ? {} : { privacy };
}

/** A copy never becomes more public, because its old versions may contain code that nobody else may read. */
function fieldsToChange(source: JsonObject, there: RemoteVal, force: boolean): routes.ValFields {
  const { readme, privacy } = fieldsOf(source);
  const isNarrower = privacy !== undefined && publicity(privacy, 0) < publicity(there.privacy, 2);
  return { ...(force && readme && { readme }), ...(isNarrower && { privacy }) };
}

/**
 * Some services ignore the privacy of a new version, and would show its code to everybody. Returns the fields that are
 * still to be sent.
 */
async function changePrivacyFirst(
  fields: routes.ValFields,
  there: RemoteVal | undefined,
  { api, name }: Target,
): Promise<routes.ValFields> {
  const { privacy, ...others } = fields;
  if (privacy === undefined || there?.id === undefined || there.privacy === undefined) return fields;
  const { notApplied } = await changeVal(api, there.id, { privacy });
  if (notApplied.length === 0) return others;
  throw new RefusedError(
    `The val is ${there.privacy} on ${name}, and that service does not make it ${privacy}. Nothing was copied.`,
    { hint: `Make the val ${privacy} on that service, then run the command again.` },
  );
}

async function sendWithFields(
  fields: routes.ValFields,
  remark: Remark,
  send: (fields: routes.ValFields) => Promise<JsonObject>,
): Promise<JsonObject> {
  const { readme, privacy } = fields;
  try {
    return await send(fields);
  } catch (error) {
    if (!isInvalidRequest(error)) throw error;
    if (readme !== undefined) {
      const sent = await sendWithFields(privacy === undefined ? {} : { privacy }, remark, send);
      remark(withoutField('readme'));
      return sent;
    }
    if (privacy === undefined) throw error;
    // Without its privacy, the copy gets the default of the service, which may be public.
    if (!mayBePublic(fields)) throw needsPrivacy(error, privacy);
    const sent = await send({});
    remark(withoutField('privacy'));
    return sent;
  }
}

/** The copy must not be more public than the val, nor than the copy was before. */
const narrower = (privacy = 'public', privacyThere = 'public'): string =>
  publicity(privacy, 0) <= publicity(privacyThere, 0) ? privacy : privacyThere;

const madePublic = (privacy: string, privacyNow: string, { name }: Target): PartialError =>
  new PartialError(
    `The copy on ${name} is ${privacyNow}, but should be ${privacy}. No other version was copied.`,
    {
      hint: `Delete the copy, or make it ${privacy} on that service.`,
    },
  );

const notPrivateThere = (valMadePublic: string, { name }: Target): RefusedError =>
  new RefusedError(`Nothing was copied, because ${name} ignored the privacy of "${valMadePublic}".`, {
    hint: 'Copy only public vals to that service.',
  });

const mayBePublic = ({ privacy = 'public' }: routes.ValFields): boolean => privacy === 'public';

const withoutField = (field: string): string =>
  `the val was copied without its ${field}, which the service did not accept`;

const needsPrivacy = (error: RefusedError, privacy: string): RefusedError =>
  new RefusedError(error.message, {
    ...error.facts,
    hint: `vals does not copy a val that is ${privacy} without its privacy, because the copy could be public.`,
  });
