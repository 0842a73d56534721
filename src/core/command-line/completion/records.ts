import type { JsonObject } from '../../lib/json.ts';
import type { Presenter } from '../../output/presenter.ts';
import { createRedactor } from '../../output/redactor.ts';
import type { Flags } from '../../settings/settings.ts';
import { type CommandTree, commandNamed, loadCommand } from '../command-tree.ts';
import { createInvocation, type Host, type Invocation } from '../invocation.ts';
import { runCommand } from '../run-command.ts';
import { createServices } from '../services.ts';

/** Somebody who pressed Tab waits for the answer. */
const mostSeconds = 1.5;

const silent: Presenter = {
  forPerson: false,
  say() {},
  async flush() {},
  async result() {},
  async end() {},
};

export const silentInvocation = (host: Host, tree: CommandTree, flags: Flags): Invocation =>
  createInvocation({
    ...host,
    tree,
    flags: { ...flags, timeout: mostSeconds },
    presenter: silent,
    writeHints: async () => '',
    redactor: createRedactor(),
    typedWords: new Map(),
    services: createServices(),
  });

/** What the command would list. There are no records if the service does not answer, or nobody is signed in. */
export async function recordsOf(
  path: string,
  input: Record<string, unknown>,
  invocation: Invocation,
): Promise<JsonObject[]> {
  const entry = commandNamed(invocation.tree, path);
  if (entry === undefined) return [];
  const records: JsonObject[] = [];
  const presenter: Presenter = {
    ...silent,
    async result(result) {
      if (result.kind !== 'list' || !(Symbol.asyncIterator in result.rows)) return;
      for await (const page of result.rows) records.push(...page.records);
    },
  };
  await runCommand({ command: await loadCommand(entry), input }, { ...invocation, presenter });
  await invocation.services.close();
  return records;
}
