// A push of thousands of vals learns an id with each answer. Replacing vals.json each time would take too long, and
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

// A journal from a stranger's repository could lead a push to somebody else's val. Its name has another mark, so it is
// not read.
function fileOf(root: string): string | undefined {
  const mark = folderMark(root);
  return mark === undefined ? undefined : `${dotValsFolder}/journal-${mark}.ndjson`;
}

/** No flush is needed: the system keeps the line even if the process is killed. */
export function appendToJournal(root: string, note: Note): void {
  const file = fileOf(root);
  if (file === undefined) {
    throw new LocalError(`${dotValsFolder} was removed from ${root} while the command was running.`, {
      hint: 'To make a new .vals, run the command again.',
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

/** Another process may have added a line after `text` was read. That process saves its line and removes the journal. */
export function removeJournal(root: string, { text }: Journal): void {
  const file = fileOf(root);
  if (file !== undefined && text !== '' && readJournal(root).text === text) removeBelow(root, file);
}
