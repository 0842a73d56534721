import { appendFile } from 'node:fs/promises';
import { type JsonObject, lookUp } from '../lib/json.ts';
import { countOutcomes } from '../lib/outcome.ts';
import { visible } from '../lib/visible.ts';
import { type Column, cellText, columnValue } from './column.ts';

/** GitHub shows no summary above 1 MiB. All commands of a step share one summary, so each command gets only a part. */
const longestSummary = 300_000;

export async function appendJobSummary(
  file: string,
  path: string,
  outcomes: readonly JsonObject[],
  columns: readonly Column[],
  redact: (text: string) => string,
): Promise<void> {
  const cell = (text: string) => escapeMarkup(visible(redact(text)));
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  const rows = outcomes.map((outcome) =>
    row([
      ...columns.map((column) => cell(cellText(columnValue(outcome, column)))),
      cell(cellText(lookUp(outcome, 'error.message'))),
    ]),
  );
  let text = `### vals ${path}: ${countOutcomes(outcomes) || 'nothing to do'}\n\n`;
  text +=
    row([...columns.map(({ header }) => header), 'error']) + row(columns.map(() => '---').concat('---'));
  let shown = 0;
  for (; shown < rows.length && text.length < longestSummary; shown++) text += rows[shown];
  if (shown < rows.length) text += `\nand ${rows.length - shown} more.\n`;
  await appendFile(file, `${text}\n`);
}

/** Markdown and HTML never treat a character reference such as `&#42;` as markup. */
const escapeMarkup = (text: string): string =>
  text.replace(/[^a-zA-Z0-9 ]/gu, (character) => `&#${character.codePointAt(0)};`);
