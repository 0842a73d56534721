// A push of thousands of vals learns an id with each answer. Replacing vals.json each time would be quadratic, and
// replacing it only at the end would lose the ids in a crash. So each id becomes a line of the journal, and vals.json
// is read together with the journal.
import { LocalError } from '../../errors.ts';
import { type JsonValue, parseJson, stringifyJson } from '../../lib/json.ts';
import { largest } from '../../lib/plain-file.ts';
import { folderMark } from './dot-vals.ts';
import { readBytesBelow } from './files.ts';
import { type Note, parseNote } from './notes.ts';
import { dotValsFolder } from './root.ts';
import { appendBelow, removeBelow } from './write-files.ts';

// A journal that came with a stranger's repository has another mark and is not read. It could lead a push to somebody
// else's val.
function fileOf(root: string): string | undefined {
  const mark = folderMark(root);
  return mark === undefined ? undefined : `${dotValsFolder}/journal-${mark}.ndjson`;
}

/** The line is not flushed, because the system keeps it even if the process is killed. */
export function appendToJournal(root: string, note: Note): void {
  const file = fileOf(root);
  if (file === undefined) {
    throw new LocalError(`${dotValsFolder} is gone from ${root}.`, {
      hint: 'Run the command again. It makes a new .vals.',
    });
  }
  // The first line break separates the new line from an earlier line that a crash cut off.
  appendBelow(root, file, `\n${stringifyJson({ ...note })}\n`);
}

export interface Journal {
  text: string;
  notes: Note[];
}

export function readJournal(root: string): Journal {
  const file = fileOf(root);
  // A crash may have cut off a line within a character, so the journal is read as bytes.
  const bytes = file === undefined ? undefined : readBytesBelow(root, file, largest.manifest);
  const text = bytes?.toString() ?? '';
  return { text, notes: text.split('\n').flatMap((line) => parseNote(parseLine(line)) ?? []) };
}

function parseLine(line: string): JsonValue {
  try {
    return line === '' ? null : parseJson(line);
  } catch {
    return null;
  }
}

/** Keeps the journal if another process added a line in the meantime. That process saves its line. */
export function removeJournal(root: string, { text }: Journal): void {
  const file = fileOf(root);
  if (file !== undefined && text !== '' && readJournal(root).text === text) removeBelow(root, file);
}
