// Outside of a workspace, a push creates or replaces the val with the name of the file, without a comparison.

import type { Context } from '../command-line/command.ts';
import { ConflictError, NotFoundError, undefinedIf } from '../errors.ts';
import { runBatch } from '../failures/batch.ts';
import { hasConflictMarkers } from '../files/check-syntax.ts';
import { nameFrom, refuseUnusableNames } from '../files/val-names.ts';
import type { FoundFile } from '../files/walk.ts';
import { findNamed } from '../find-val/find-val.ts';
import type { SeenVal } from '../find-val/seen-vals.ts';
import type { Api } from '../http/api.ts';
import type { Call } from '../http/call.ts';
import { versionOf } from '../http/record-fields.ts';
import { sh, someOf } from '../lib/hint.ts';
import { type JsonObject, textAt, withoutUndefined } from '../lib/json.ts';
import { isSameCode } from '../lib/vals.ts';
import type { Outcome, OutcomeRow, Rows } from '../output/out.ts';
import * as routes from '../routes.ts';
import { mayPublish } from './privacy.ts';
import { type FailedFile, type PushedFile, pushWording, refuseFiles } from './refuse-files.ts';
import { readSources, type SourceFile, sourceFile, syntaxError, syntaxFaults } from './syntax.ts';

export interface UpsertOptions {
  /** --name */
  name: string | undefined;
  dryRun: boolean;
  noCheck: boolean;
  concurrency: number | 'auto';
}

interface CodeFile extends SourceFile, PushedFile {
  code: string;
}

export async function upsertFiles(
  context: Context,
  found: readonly FoundFile[],
  options: UpsertOptions,
): Promise<Rows> {
  const { dryRun, concurrency } = options;
  const names = found.map(({ file }) => ({ file, name: options.name ?? nameFrom(file) }));
  refuseUnusableNames(names);
  const sources = found.map((file, index) => ({
    ...sourceFile(context, file),
    name: names[index]?.name ?? '',
  }));
  const { files, failed } = await readAll(context, sources, options);
  if (failed.length > 0) return refuseFiles(context, sources, failed);
  if (dryRun) {
    const rows = files.map(({ file, name }) => ({ file, name, status: 'planned', plan: 'send' }));
    return { kind: 'list', rows };
  }

  const api = await context.api({ concurrency });
  const { vals: seenBefore } = context.vals.seen.recall();
  const tasks = files.map(({ file, name, code }) => ({
    row: { file, name },
    label: file,
    run: () => upsert(context, api, { name, code }, seenBefore),
  }));
  const { signal } = context.host;
  const outcomes = await runBatch(tasks, {
    ...pushWording(context),
    concurrency,
    signal,
    progress: 'Pushing',
  });
  noteOnReplaced(context, outcomes.rows);
  return outcomes;
}

/** Of a val that this machine does not know, or not as it was just now, nobody here can tell what was replaced. */
function noteOnReplaced({ out, flags }: Context, rows: readonly OutcomeRow[]): void {
  const names = rows
    .filter(
      ({ status, versionBefore }) =>
        status === 'sent' || (status === 'pushed' && versionBefore === undefined),
    )
    .map(({ name }) => `${name}`);
  const [first] = names;
  if (first === undefined || flags.quiet) return;
  out.say({
    kind: 'note',
    text: sh`What was there before, if anything, is among the versions of ${someOf(names)}: see ${['version', 'ls', first]}.`,
  });
}

async function readAll(
  context: Context,
  sources: readonly (SourceFile & PushedFile)[],
  { noCheck }: UpsertOptions,
): Promise<{ files: CodeFile[]; failed: FailedFile[] }> {
  const { files, failed: unreadable } = await readSources(context, sources);
  const marked = files.filter(({ code }) => hasConflictMarkers(code));
  const failed = [...unreadable, ...marked.map(withMarkers)];
  if (failed.length > 0 || noCheck) return { files, failed };
  const faults = await syntaxFaults(context, files);
  const broken = files.flatMap(({ file, name }) => {
    const [fault] = faults.get(file) ?? [];
    return fault === undefined ? [] : [{ file, name, error: syntaxError(file, fault) }];
  });
  return { files, failed: broken };
}

const withMarkers = ({ file, name }: PushedFile): FailedFile => ({
  ...{ file, name, reason: 'marks' },
  error: new ConflictError(`${file === '-' ? 'The code' : file} has conflict markers.`, {
    hint: 'Edit the code: keep the lines you want, and remove the conflict markers (<<<<<<<).',
  }),
});

async function upsert(
  context: Context,
  api: Api,
  { name, code }: { name: string; code: string },
  /** The vals that this machine knew before the push. */
  seenBefore: readonly SeenVal[],
): Promise<Outcome> {
  const call = await callFor(context, name, code);
  api.refuseToken(call);
  const { status, body } = await api.send(call);
  const version = versionOf(body);
  const stored = withoutUndefined({ id: textAt(body, 'id'), version });
  if (status === 201) return { status: 'created', ...stored };
  const { status: done, ...facts } = whatChanged(version, versionSeen(stored, seenBefore));
  const isOther = done === 'unchanged' && !isSameCode(textAt(body, 'code') ?? code, code);
  return { status: isOther ? 'sent' : done, ...stored, ...facts };
}

/** An agent that may not publish makes a new val as a private one. A name that is taken after all is refused then. */
async function callFor(context: Context, name: string, code: string): Promise<Call> {
  if (mayPublish(context)) return routes.putVal(name, code);
  const found = await findNamed(name, { ...context.vals, isForWriting: false }).catch(
    undefinedIf(NotFoundError),
  );
  return found === undefined
    ? routes.createVal({ name, code, privacy: 'private' })
    : routes.putVal(name, code);
}

/** Only a version that was known before shows whether there is another one now. Others may have made some in between. */
function whatChanged(version: number | undefined, known: number | undefined): Outcome {
  if (version === undefined || known === undefined || version < known) return { status: 'sent' };
  if (version === known) return { status: 'unchanged' };
  return { status: 'pushed', ...(version === known + 1 && { versionBefore: known }) };
}

const versionSeen = ({ id }: JsonObject, seenBefore: readonly SeenVal[]): number | undefined =>
  id === undefined ? undefined : seenBefore.find((seen) => seen.id === id)?.version;
