// What a command of a workspace has open while it runs: its files, the service, the last syncs and git.
import type { Context } from '../core/command-line/command.ts';
import type { SeenVals } from '../core/find-val/seen-vals.ts';
import type { ValList } from '../core/find-val/val-list.ts';
import type { Api } from '../core/http/api.ts';
import type { Clock } from '../core/lib/waiting.ts';
import { warnWith } from '../core/output/out.ts';
import { openRepository, type Repository } from './git/repository.ts';
import { type LastSyncs, openLastSyncs } from './last-syncs.ts';
import { idsOn } from './manifest.ts';
import { type FileNames, noteStaleNames, readFileNames } from './read/local.ts';
import { newReads, type Reads, type RemoteVal } from './read/remote-val.ts';
import type { Workspace } from './workspace.ts';

export interface Session {
  workspace: Workspace;
  clock: Clock;
  api: Api;
  /** The list of the caller's vals. */
  valList: ValList;
  /** The vals that this machine has seen. */
  seen: SeenVals;
  /** What was read of the vals. Only read/remotes.ts uses it. */
  reads: Reads;
  /** How many vals the command is about. */
  count: number;
  names: FileNames;
  lastSyncs: LastSyncs;
  /** The ids of vals.json, by name. Empty for a service on this machine. */
  manifestIds: ReadonlyMap<string, string>;
  /** Undefined if the folder is in no repository. */
  repository: Repository | undefined;
}

export interface SessionOptions {
  /** Files that the user named, also those that a push of the folder leaves out. Without it, all files. */
  named?: readonly string[] | undefined;
  /** What is to be said of the folder was said before. */
  isRepeated?: boolean;
}

/** The last syncs are saved however the command ends. */
export async function withSession<Result>(
  context: Context,
  { workspace, api, ...options }: Pick<Session, 'workspace' | 'api'> & SessionOptions,
  use: (session: Session) => Promise<Result>,
): Promise<Result> {
  const session = await openSession(context, workspace, api, options);
  try {
    return await use(session);
  } finally {
    session.lastSyncs.save();
  }
}

async function openSession(
  context: Context,
  workspace: Workspace,
  api: Api,
  { named, isRepeated = false }: SessionOptions,
): Promise<Session> {
  if (!isRepeated) noteStaleNames(context.out.say, workspace);
  const names = await readFileNames(workspace, named, isRepeated ? undefined : warnWith(context.out.say));
  const lastSyncs = openLastSyncs(workspace.dataFolder, workspace.service, warnWith(context.out.say));
  const manifestIds = idsOn(workspace.service, workspace.manifest);
  return {
    ...{ workspace, api, names, lastSyncs, manifestIds },
    count: named?.length ?? names.size,
    reads: newReads(),
    seen: context.vals.seen,
    clock: context.host.clock,
    valList: context.vals.valList,
    repository: openRepository(workspace.root, context.host),
  };
}

/** Both sides have this code now, or the file has it merged. */
export async function noteSync(
  { lastSyncs, repository }: Session,
  name: string,
  { id, version, code: { blob } }: Pick<RemoteVal, 'id' | 'version' | 'code'>,
): Promise<void> {
  const before = lastSyncs.of(name);
  // Not every service tells the version of a val that it is asked for. An earlier one with this code is still so.
  const known = before?.id === id && before.blob === blob ? before.version : undefined;
  const commit = (await repository?.head())?.commit;
  lastSyncs.set(name, { id, version: version ?? known, blob, commit });
}
