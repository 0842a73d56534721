// What a push has to know of the workspace it is in; outside of one there is a tracker that knows nothing.
import type { Api } from '../../api/api.ts';
import { textAt, versionOf } from '../../api/records.ts';
import * as routes from '../../api/routes.ts';
import type { Context } from '../../cli/context.ts';
import { UsageError } from '../../errors.ts';
import type { Outcome } from '../../lib/outcome.ts';
import type { PushOptions } from '../../workspace/push-val.ts';
import { identity, type RemoteVals } from '../../workspace/remote-vals.ts';
import { readCode } from '../../workspace/sources/read-text.ts';
import { type Found, nameFrom, readFound, type Source } from '../../workspace/sources/walk.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';

export interface PushSource extends Source, Found {
  /** What the workspace knows of it, where it is in one. */
  val?: WorkspaceVal;
  /** The user named it, so it must be there. */
  isNamed: boolean;
}

export interface Tracker {
  /** What a push without a path is about. */
  all(): Promise<PushSource[]>;
  /** The path that a word of the command line stands for. */
  pathOf(word: string): string;
  sourceOf(found: Found): PushSource;
  /** Undefined where the file of a val is gone and was not named. */
  read(source: PushSource): Promise<string | undefined>;
  push(api: Api, source: PushSource, code: string | undefined, options: SendOptions): Promise<Outcome>;
  /** Writes down what was learnt, once at the end. */
  settle(): Promise<void>;
}

export interface SendOptions extends Omit<PushOptions, 'beforeSending'> {
  remotes: RemoteVals;
}

export const untracked = (context: Context): Tracker => ({
  all() {
    throw new UsageError('No path was given.', {
      hint: 'Name files or folders: `vals push hello.ts`. After `vals init`, `vals push` alone sends what changed.',
    });
  },
  pathOf: (word) => word,
  sourceOf: (found) => ({ ...found, name: nameFrom(found.file), isNamed: true }),
  read: async ({ file, found }) => (found ? readFound(file, found) : readCode(file, context)),
  async push(api, { name }, code = '', { dryRun }) {
    if (dryRun) return { status: 'planned' };
    const { status, body = null } = await api.send(routes.putVal(name, code));
    return {
      status: status === 201 ? 'created' : 'pushed',
      ...identity(textAt(body, 'id'), versionOf(body)),
    };
  },
  async settle() {},
});
