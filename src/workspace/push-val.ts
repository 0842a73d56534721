// Sending one val of a workspace: compared a moment before, and never over an edit that nobody here has seen.
import type { Api } from '../api/api.ts';
import { textAt } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { ConflictError, LocalError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import type { Agreed } from './disk/agreed.ts';
import { agree, agreedWith, statusOf } from './examine.ts';
import { identity, readRemoteVal, versionOf } from './remote-val.ts';
import { hashOf } from './text/hash.ts';
import { hasMarks } from './text/merge.ts';
import type { Workspace, WorkspaceVal } from './workspace.ts';

export interface PushOptions {
  /** Sends whatever the service has. */
  force: boolean;
  /** Compares, and sends nothing. */
  dryRun: boolean;
  /** Called before it is sent; what it throws keeps it from being sent. */
  beforeSending?(): void;
  /** Called where the service has something newer, and the file was not changed. */
  onBehind?(): void;
  warn(message: string): void;
}

export interface Pushed {
  outcome: JsonObject;
  /** The version that was there before, where it is known. */
  before: JsonValue | undefined;
}

export async function pushVal(
  workspace: Workspace,
  api: Api,
  val: WorkspaceVal,
  code: string,
  options: PushOptions,
): Promise<Pushed> {
  const agreed = val.id === undefined ? undefined : workspace.agreed.read(val.id);
  const isPlain = val.id === undefined || (agreed === undefined && workspace.agreed.trustsFile(val.id));
  const found = isPlain ? undefined : await compareWithService(workspace, api, val, agreed, code, options);
  if (found?.isDone) return found.pushed;
  if (!options.force && hasMarks(code)) {
    throw new ConflictError(`${val.file} still has the marks of a merge.`, {
      hint: 'Decide what stays between <<<<<<< and >>>>>>>, then push it.',
    });
  }
  if (options.dryRun) return { outcome: { status: 'planned' }, before: undefined };
  options.beforeSending?.();
  const name = found?.name ?? val.name;
  const { status, body = null } = await api.send(routes.putVal(name, code)).catch((error) => {
    // It may have arrived all the same.
    if (agreed !== undefined) workspace.agreed.write(val.id as string, { ...agreed, sent: hashOf(code) });
    throw error;
  });
  const id = textAt(body, 'id') ?? val.id;
  if (hasMarks(code)) options.warn(`${val.file} was sent with the marks of a merge in it.`);
  if (val.id !== undefined && id !== val.id) options.warn(`${val.file} is another val than before: ${id}.`);
  const version = versionOf(body);
  // The API cannot be asked for a name, so only the answer tells.
  if (val.id === undefined && status !== 201 && Number(version) > 1) {
    options.warn(
      `A val named "${name}" was there already and has the code of ${val.file} now; its versions keep what it was.`,
    );
  }
  await keep(workspace, { file: val.file, name, id }, { code, version });
  return {
    outcome: { status: status === 201 ? 'created' : 'pushed', ...identity(id, version) },
    before: found?.version,
  };
}

type Found =
  | { isDone: true; pushed: Pushed }
  | { isDone: false; name: string | undefined; version: JsonValue | undefined };

async function compareWithService(
  workspace: Workspace,
  api: Api,
  val: WorkspaceVal,
  noted: Agreed | undefined,
  code: string,
  { force, warn, onBehind }: PushOptions,
): Promise<Found> {
  const id = val.id as string;
  const there = await readRemoteVal(api, id);
  const agreed = agreedWith(noted, there);
  const done = (outcome: JsonObject): Found => ({ isDone: true, pushed: { outcome, before: undefined } });
  const unchanged = (version: JsonValue | undefined): Found =>
    done({ status: 'unchanged', ...identity(id, version) });
  const wayOut =
    `\`vals diff ${val.file}\` shows the difference, \`vals pull ${val.file} --merge\` brings both together, ` +
    `\`vals push ${val.file} --force\` overwrites what is there.`;
  switch (statusOf(agreed ?? 'nothing', code, there)) {
    case 'unchanged':
      if (there) agree(workspace, id, noted, there);
      return unchanged(there?.version);
    case 'changed there':
      if (!force) {
        onBehind?.();
        return unchanged(agreed?.version);
      }
      break;
    case 'conflict':
      if (!force) {
        const problem = agreed
          ? 'changed here and on the service'
          : 'and the service differ, and it is not known which is newer';
        throw new ConflictError(`${val.file} ${problem}. Nothing was sent for it.`, { hint: wayOut });
      }
      break;
    case 'deleted there':
      if (!force && code === agreed?.code) {
        warn(`${val.file} was deleted on the service, or is no longer yours; --force creates it anew.`);
        return done({ status: 'skipped', id });
      }
      if (!force) {
        throw new ConflictError(`${val.file} changed here and was deleted on the service.`, {
          hint: `\`vals push ${val.file} --force\` creates it anew.`,
        });
      }
  }
  return { isDone: false, name: there?.name, version: there?.version };
}

/** What was sent is what both sides now agree on. */
async function keep(workspace: Workspace, val: WorkspaceVal, agreed: Agreed): Promise<void> {
  try {
    if (val.id !== undefined) workspace.agreed.write(val.id, agreed);
    const known = workspace.vals.find(({ file }) => file === val.file);
    if (known?.id !== val.id || known?.name !== val.name) await workspace.remember(val);
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    throw new LocalError(
      `${val.file} was pushed, but that could not be noted: ${error.message}`,
      error.facts,
    );
  }
}
