// Sending one val of a workspace: compared a moment before, and never over an edit that this folder has not seen.
import type { Api } from '../api/api.ts';
import { changedAtOf, textAt, versionOf } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { ConflictError, LocalError } from '../errors.ts';
import type { Outcome } from '../lib/outcome.ts';
import type { Agreed } from './disk/agreed.ts';
import { type Examined, examine, type FindListed, type FindNamesakes, readNamesake } from './examine.ts';
import { identity } from './remote-val.ts';
import { hashOf } from './text/hash.ts';
import { hasMarks } from './text/merge.ts';
import type { WorkspaceVal } from './vals.ts';
import type { Workspace } from './workspace.ts';

export interface PushOptions {
  /** Sends whatever the service has. */
  force: boolean;
  /** Compares, and sends nothing. */
  dryRun: boolean;
  /** The user named it, so that it is an error where it is not sent. */
  isNamed: boolean;
  /** Which vals have a name on the service already. */
  findNamesakes: FindNamesakes;
  /** What the service's list tells of vals. */
  findListed: FindListed;
  /** Told where it cannot be known whether the name is taken. */
  onUnknownName(val: WorkspaceVal): void;
  /** Called before it is sent; what it throws keeps it from being sent. */
  beforeSending(): void;
  /** Of what is worth knowing, though it is no failure. */
  remark(message: string): void;
}

export async function pushVal(
  workspace: Workspace,
  api: Api,
  val: WorkspaceVal,
  code: string,
  options: PushOptions,
): Promise<Outcome> {
  const noted = workspace.agreed.read(val);
  const examined = isCompared(workspace, val, noted)
    ? await examine(workspace, api, options.findListed, val, code, noted)
    : undefined;
  const settled = examined && settle(examined, options);
  if (settled !== undefined) return settled;
  if (!options.force && hasMarks(code)) {
    throw new ConflictError(`${val.file} still has the marks of a merge.`, {
      hint: 'Decide what stays between <<<<<<< and >>>>>>>, then push it.',
    });
  }
  const namesake =
    val.isNew && !options.force ? await readNamesake(api, val, options.findNamesakes) : undefined;
  if (namesake === 'unknown' || (val.id === undefined && !val.isNew)) options.onUnknownName(val);
  if (typeof namesake === 'object' && namesake.code !== code) throw nameTaken(val, namesake.id);
  const before = examined?.remote?.version ?? (typeof namesake === 'object' ? namesake.version : undefined);
  const versionBefore = before !== undefined && { versionBefore: before };
  if (options.dryRun) return { status: 'planned', ...versionBefore };
  options.beforeSending();
  const name = examined?.remote?.name ?? val.name;
  const { status, body = null } = await api.send(routes.putVal(name, code)).catch((error) => {
    // It may have arrived all the same.
    if (noted !== undefined) workspace.agreed.write(val, { ...noted, sent: hashOf(code) });
    throw error;
  });
  const id = textAt(body, 'id') ?? val.id;
  if (hasMarks(code)) options.remark(`${val.file} was sent with the marks of a merge in it.`);
  if (val.id !== undefined && id !== val.id) options.remark(`${val.file} is another val than before: ${id}.`);
  const version = versionOf(body);
  // The API cannot be asked for a name, so only the answer tells.
  if (val.id === undefined && noted === undefined && status !== 201 && Number(version) > 1) {
    options.remark(
      `${val.file}: a val named "${name}" was there already and has this code now; its versions keep what it was.`,
    );
  }
  keep(workspace, { file: val.file, name, id }, { code, version, changedAt: changedAtOf(body) });
  return { status: status === 201 ? 'created' : 'pushed', ...identity(id, version), ...versionBefore };
}

const nameTaken = ({ file, name }: WorkspaceVal, id: string): ConflictError =>
  new ConflictError(
    `${file} is new here, and the service has a val named "${name}" already, with other code. Nothing was sent for it.`,
    {
      hint:
        `\`vals push ${file} --force\` sends it over what is there, \`vals pull ${id} --force\` takes what is there; ` +
        'or give the file another name.',
    },
  );

/** What was never pushed, or came with a fresh checkout, is plainly sent. */
const isCompared = ({ agreed }: Workspace, { id }: WorkspaceVal, noted: Agreed | undefined): boolean =>
  noted !== undefined || (id !== undefined && !agreed.trustsFile(id));

/** The outcome where there is nothing to send; undefined where there is. A conflict is thrown. */
function settle(examined: Examined, { force, isNamed, remark }: PushOptions): Outcome | undefined {
  const { val, here, remote, agreed, status } = examined;
  if (status === 'unchanged') return { status: 'unchanged', ...identity(val.id, remote?.version) };
  if (force) return undefined;
  switch (status) {
    case 'changed there':
      return { status: 'behind', ...identity(val.id, remote?.version) };
    case 'conflict': {
      const problem = agreed
        ? 'changed here and on the service'
        : 'and the service differ, and it is not known which is newer';
      throw new ConflictError(`${val.file} ${problem}. Nothing was sent for it.`, {
        hint:
          `\`vals diff ${val.file}\` shows the difference, \`vals pull ${val.file} --merge\` brings both together, ` +
          `\`vals push ${val.file} --force\` overwrites what is there.`,
      });
    }
    case 'deleted there':
      if (here === agreed?.code && !isNamed) {
        remark(
          `${val.file} was deleted on the service, or is no longer yours; \`vals push ${val.file} --force\` creates it anew.`,
        );
        return { status: 'skipped', ...identity(val.id, undefined) };
      }
      throw new ConflictError(
        `${val.file} was deleted on the service, or is no longer yours. Nothing was sent for it.`,
        {
          hint: `\`vals push ${val.file} --force\` creates it anew.`,
        },
      );
    default:
      return undefined;
  }
}

/** What was sent is what both sides now agree on. The id first: without it, nothing leads to what was agreed on. */
function keep(workspace: Workspace, val: WorkspaceVal, agreed: Agreed): void {
  try {
    workspace.remember(val);
    workspace.agreed.write(val, agreed);
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    throw new LocalError(
      `${val.file} was pushed, but that could not be noted: ${error.message}`,
      error.facts,
    );
  }
}
