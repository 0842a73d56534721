import type { Api } from '../../api/api.ts';
import { textAt } from '../../api/records.ts';
import * as routes from '../../api/routes.ts';
import { runBatch } from '../../cli/batch.ts';
import { argument, type Context, column, defineCommand, parsed, toggle, word } from '../../cli/command.ts';
import { UsageError, type ValsError } from '../../errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { findRoot } from '../../workspace/disk/root.ts';
import { identity, versionOf } from '../../workspace/remote-val.ts';
import { dryRun, wholeNumber } from '../shared/options.ts';
import { reportFailure } from '../shared/report-failure.ts';
import { versionColumn } from '../shared/version-change.ts';
import type { Loaded, Tracker } from './sources.ts';

export const push = defineCommand({
  path: 'push',
  aliases: ['val push'],
  summary: 'Create or update vals from files and folders',
  description:
    'Create or update vals from files and folders. A file becomes the val that has its name without the extension; ' +
    'a folder gives its .ts .tsx .mts .js .jsx .mjs files, except what .gitignore or .valsignore names. ' +
    'In a workspace, without a path, it sends what is new or changed here; a val that changed on the service too is ' +
    'a conflict, and nothing is sent for it without --force.',
  arguments: { paths: argument('[paths...]', 'files, folders, or - for standard input') },
  options: {
    name: word('--name <name>', "the val's name, for one path", { conflicts: ['watch'] }),
    concurrency: parsed('--concurrency <n>', 'requests at a time', wholeNumber('--concurrency', 1), {
      default: 8,
    }),
    force: toggle('--force', 'in a workspace: send it over what changed on the service too'),
    watch: toggle('--watch', 'in a workspace: keep sending on save, until interrupted', {
      conflicts: ['dryRun'],
    }),
    dryRun,
  },
  examples: [
    'vals push hello.ts',
    'vals push examples --local',
    'cat hello.ts | vals push - --name hello',
    'vals push --watch',
  ],
  columns: [column('status'), column('name'), versionColumn, column('id'), column('file')],
  empty: 'Nothing to push.',
  jobSummary: true,
  async run(context, { paths, name, concurrency = 8, dryRun = false, force = false, watch }) {
    if (watch) {
      const { watchWorkspace } = await import('./watch.ts');
      return watchWorkspace(context, { paths, concurrency, force });
    }
    const root = name === undefined && !paths.includes('-') ? findRoot(context.settings) : undefined;
    if (paths.length === 0 && root === undefined) {
      throw new UsageError('No path was given.', {
        hint: 'Name files or folders: `vals push hello.ts`. After `vals init`, `vals push` alone sends what changed.',
      });
    }
    const { chooseSources, loadAll } = await import('./sources.ts');
    const isPlan = dryRun && paths.length > 0;
    const tracker = root === undefined ? undefined : await openTracker(context, root, isPlan);
    const sources = await chooseSources(context, tracker, paths, name);
    const report = (file: string, error: ValsError) => reportFailedFile(context, file, error, sources.length);
    const vals = await loadAll(context, tracker, sources, report);
    if (isPlan) return vals.map((val) => ({ ...describe(val), status: 'planned' }));

    const api = await context.connect();
    for (const { file, code = '' } of vals) {
      if (api.holdsToken(code))
        context.warn(`${file} holds your token: whoever reads the val can act as you.`);
    }
    const onFinished = (finished: number) => context.progress.show(`Pushing ${finished} of ${vals.length}`);
    onFinished(0);
    let behind = 0;
    const onBehind = () => {
      behind += 1;
    };
    const outcomes = await runBatch<Loaded>(vals, {
      describe,
      concurrency,
      signal: context.signal,
      onFinished,
      onFailure: ({ file }, error) => report(file, error),
      work: (item) =>
        tracker === undefined || item.val === undefined
          ? pushPlainly(api, item)
          : tracker.push(api, item.val, item.code, { force, dryRun, onBehind }),
    });
    if (behind > 0) context.hint(`${behind} changed on the service: \`vals pull\` brings that here.`);
    // Of hundreds of vals, a person wants to see those that something happened to.
    return context.forPerson && paths.length === 0
      ? outcomes.filter(({ status }) => status !== 'unchanged' && status !== 'skipped')
      : outcomes;
  },
});

const describe = ({ file, name }: Loaded): JsonObject => ({ file, name });

/** Outside of a workspace nothing of it is loaded. */
async function openTracker(context: Context, root: string, namesAlone: boolean): Promise<Tracker> {
  const { createTracker } = await import('./tracked.ts');
  return createTracker(context, root, namesAlone);
}

async function pushPlainly(api: Api, { name, code = '' }: Loaded): Promise<JsonObject> {
  const { status, body = null } = await api.send(routes.putVal(name, code));
  return {
    status: status === 201 ? 'created' : 'pushed',
    ...identity(textAt(body, 'id'), versionOf(body)),
  };
}

function reportFailedFile(context: Context, file: string, error: ValsError, total: number): void {
  reportFailure(context, file, error, total);
  if (context.env.GITHUB_ACTIONS !== 'true') return;
  const escaped = (text: string, also: RegExp) =>
    text.replace(
      also,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
  context.annotate(`::error file=${escaped(file, /[%\r\n:,]/g)}::${escaped(error.message, /[%\r\n]/g)}`);
}
