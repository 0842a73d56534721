import { mkdirSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineCommand } from '../cli/command.ts';
import type { Context } from '../cli/context.ts';
import { path } from '../cli/value-types.ts';
import { LocalError, UsageError } from '../errors.ts';
import { quoteFor } from '../lib/shell-command.ts';
import { errnoOf, errorMessageOf, isMissing } from '../lib/system.ts';
import { chosenBaseUrl, serviceName } from '../settings/settings.ts';
import { updateManifest } from '../workspace/disk/manifest-file.ts';
import { manifestFile, refuseNested } from '../workspace/disk/root.ts';
import { createRemoteVals } from '../workspace/remote-vals.ts';
import { workspaceAt } from '../workspace/workspace.ts';
import { listAll, pullColumns, pullVals, selectAll } from './pull/pull-vals.ts';

export const command = defineCommand({
  summary: 'Make a workspace with all your vals',
  description:
    'Make a new folder with one file for each of your vals on the service. The command does the same as `vals init` ' +
    'and then `vals pull --all`. The folder must be new or empty, or have a vals.json: then the command adds the ' +
    'vals that are missing there. So run it again to continue after an interruption.',
  details:
    'Some names of vals cannot be names of files. The command reports these vals at the end. ' +
    'To add one of these vals, run `vals pull <id> --file <path>`. The command does not work with a service that cannot list vals.',
  arguments: {
    folder: {
      description: "the new folder (default: the service's host name)",
      value: path('folder'),
      optional: true,
    },
  },
  examples: ['vals clone', 'vals clone my-vals'],
  columns: pullColumns,
  empty: 'You have no vals on the service yet.',
  async run(context, { folder: given = defaultFolder(context) }) {
    const { settings, say, forPerson } = context;
    if (given.includes('://')) {
      throw new UsageError(`${given} is an address, not a folder.`, {
        hint: { text: 'To clone from that service or space', command: 'clone', input: { baseUrl: given } },
      });
    }
    const folder = resolve(settings.cwd, given);
    const service = serviceName(settings);
    refuseNested(folder);
    refuseFilled(folder, given);
    const api = await context.connect();
    context.say({ kind: 'progress', text: 'Reading the list of vals' });
    const remotes = createRemoteVals({ ...context, api }, 'all');
    // listAll runs before makeNewFolder, so that a failure of listAll leaves no empty folder behind.
    await listAll(remotes, service);
    makeNewFolder(folder);
    await updateManifest(folder, context, () => {});
    const workspace = workspaceAt(folder, context, folder);
    const items = await selectAll(workspace, remotes, say);
    const options = { merge: false, force: false, dryRun: false, isNamedInCommand: false };
    const { rows, error } = await pullVals(context, { workspace, remotes, items, ...options });
    if (!forPerson || items.length === 0) return { kind: 'outcomes', rows, error };
    const failed = rows.filter(({ status }) => status === 'failed');
    if (error !== undefined) return { kind: 'outcomes', rows: failed, error };
    say({
      kind: 'done',
      text: `The folder ${given} has ${items.length === 1 ? 'the val' : `all ${items.length} vals`} of the service.`,
    });
    say({
      kind: 'hint',
      text: [
        `To go to the folder, run \`cd ${quoteFor(settings.system.platform)(given)}\`.`,
        { text: 'To send the files that you change', command: 'push' },
      ],
    });
    return { kind: 'nothing' };
  },
});

/** A folder with a vals.json is a workspace already, perhaps of a clone that was interrupted. */
function refuseFilled(folder: string, given: string): void {
  const names = namesIn(folder, given);
  if (names.length === 0 || names.includes(manifestFile)) return;
  throw new UsageError(`${given} is not empty.`, {
    hint: 'To clone into another folder, give the name of a new folder.',
  });
}

function namesIn(folder: string, given: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    if (errnoOf(error) === 'ENOTDIR') {
      throw new UsageError(`${given} is not a folder.`, { hint: 'Give the path of a folder.' });
    }
    throw new LocalError(`${given} cannot be read: ${errorMessageOf(error)}`, {
      hint: 'Give a folder that you may read.',
      cause: error,
    });
  }
}

function makeNewFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new LocalError(`${folder} could not be created: ${errorMessageOf(error)}`, {
      hint: 'Give a folder that you may write to.',
      cause: error,
    });
  }
}

function defaultFolder({ settings }: Context): string {
  if (settings.local.value) return 'vals';
  const { hostname } = new URL(chosenBaseUrl(settings).href);
  return hostname.replace(/[^\w.-]+/g, '-').replace(/^-|-$/g, '');
}
