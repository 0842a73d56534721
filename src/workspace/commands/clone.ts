// `vals clone`: a new folder, then what `vals init` and `vals pull --all` do.
import { mkdirSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Context, defineCommand } from '../../core/command-line/command.ts';
import { path } from '../../core/command-line/value-types.ts';
import { quoteFor } from '../../core/command-line/write-hints.ts';
import { LocalError, UsageError } from '../../core/errors.ts';
import { fileError } from '../../core/files/files.ts';
import { manifestFile } from '../../core/files/root.ts';
import { sh } from '../../core/lib/hint.ts';
import { errnoOf, errorMessageOf, isMissing } from '../../core/lib/system.ts';
import { spaceIn } from '../../core/settings/addresses.ts';
import { chosenBaseUrl } from '../../core/settings/settings.ts';
import { isOfThisMachine, serviceName, updateManifest, withService } from '../manifest.ts';
import { listAll, pullAll, pullColumns } from '../pull/pull-vals.ts';
import { withSession } from '../session.ts';
import { refuseNested, workspaceAt } from '../workspace.ts';

export const command = defineCommand({
  summary: 'Make a workspace with all your vals',
  description:
    'Make a new folder with one file for each of your vals on the service. The command does the same as `vals init` ' +
    'and then `vals pull --all`. The folder must be new or empty. To continue after an interruption, run `vals pull --all` ' +
    'in it.',
  details: 'The command does not work with a service that cannot list vals.',
  arguments: {
    folder: {
      description: "the new folder (default: the name of the space, or the service's host name)",
      value: path('folder'),
      optional: true,
    },
  },
  examples: ['vals clone', 'vals clone my-vals'],
  columns: pullColumns,
  empty: 'You have no vals on the service yet.',
  async run(context, { folder: given = defaultFolder(context) }) {
    const {
      settings,
      out: { say, forPerson },
    } = context;
    if (given.includes('://')) {
      throw new UsageError(`${given} is an address, not a folder.`, {
        hint: sh`To clone from that service or space, run ${['clone', '--base-url', given]}.`,
      });
    }
    const folder = resolve(settings.cwd, given);
    const service = serviceName(settings);
    refuseNested(folder);
    refuseFilled(folder, given);
    const api = await context.api();
    say({ kind: 'progress', text: 'Reading the list of vals' });
    // The list is read before the folder is made, so that a failure leaves no empty folder behind.
    const listed = await listAll(context.vals.valList, service);
    makeNewFolder(folder);
    updateManifest(folder, isOfThisMachine(service) ? (manifest) => manifest : withService(service));
    const workspace = workspaceAt(folder, context, folder);
    const options = { merge: false, force: false, dryRun: false, isNamed: false };
    const { rows, error } = await withSession(context, { workspace, api }, (session) =>
      pullAll({ context, session, statuses: [], options }),
    );
    if (!forPerson || listed.length === 0) return { kind: 'list', rows, error };
    const failed = rows.filter(({ status }) => status === 'failed');
    if (error !== undefined) return { kind: 'list', rows: failed, error };
    say({
      kind: 'done',
      text: `The folder ${given} has ${listed.length === 1 ? 'the val' : `all ${listed.length} vals`} of the service.`,
    });
    say({
      kind: 'hint',
      text: [
        `To go to the folder, run \`cd ${quoteFor(settings.system.platform)(given)}\`.`,
        sh`To send the files that you change, run ${['push']}.`,
      ],
    });
    return { kind: 'nothing' };
  },
});

function refuseFilled(folder: string, given: string): void {
  const names = namesIn(folder, given);
  if (names.length === 0) return;
  throw new UsageError(`${given} is not empty.`, {
    hint: names.includes(manifestFile)
      ? ['If a clone was interrupted, go to that folder.', sh`To go on, run ${['pull', '--all']}.`]
      : 'To clone into another folder, give the name of a new folder.',
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
    throw fileError(given, error);
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
  const baseUrl = chosenBaseUrl(settings);
  const { hostname } = new URL(baseUrl.href);
  const name = spaceIn(baseUrl)?.name ?? hostname;
  return name.replace(/[^\w.-]+/g, '-').replace(/^-|-$/g, '');
}
