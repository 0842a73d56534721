// What was learnt of vals and is not in vals.json yet.
//
// A push of thousands learns an id with each answer. To replace vals.json each time would take longer with each val, and
// to replace it at the end alone would lose the ids in a crash. So each note becomes a line at the end of one file in
// .vals, and vals.json takes all of them in once: when the command ends, or with its next change after a crash. Until
// then, vals.json is read together with the journal.
//
// The journal belongs to the folder that it was written in, whose number and time of birth are in its name: one that
// came with a clone has another name, so it cannot lead a push to a val of somebody else's choice.
import { createHash } from 'node:crypto';
import { LocalError } from '../../errors.ts';
import { largest } from '../../lib/file-sizes.ts';
import { type JsonValue, parseJson, stringifyJson } from '../../lib/json.ts';
import { appendBelow, birthOf, dotValsFolder, readBytesBelow, removeBelow } from './files.ts';
import { type Note, parseNote } from './notes.ts';

/** Undefined where there is no folder yet. */
function fileOf(root: string): string | undefined {
  const birth = birthOf(root, dotValsFolder);
  if (birth === undefined) return undefined;
  return `${dotValsFolder}/journal-${createHash('sha256').update(birth).digest('hex').slice(0, 16)}.ndjson`;
}

/** The folder must be there. It is not flushed: a process that ends in any way loses nothing of it. */
export function appendToJournal(root: string, note: Note): void {
  const file = fileOf(root);
  if (file === undefined) {
    throw new LocalError(`${dotValsFolder} is gone from ${root}.`, {
      hint: 'Run it again: it is made anew.',
    });
  }
  // With an end of line before it, too: a line that was cut off must not take this one with it.
  appendBelow(root, file, `\n${stringifyJson({ ...note })}\n`);
}

export interface Journal {
  text: string;
  notes: Note[];
}

export function readJournal(root: string): Journal {
  const file = fileOf(root);
  // A line that was cut off within a character is passed over like any other.
  const text = (file && readBytesBelow(root, file, largest.manifest)?.toString()) ?? '';
  return { text, notes: text.split('\n').flatMap((line) => parseNote(parseLine(line)) ?? []) };
}

function parseLine(line: string): JsonValue {
  try {
    return line === '' ? null : parseJson(line);
  } catch {
    // The last line of a process that was killed.
    return null;
  }
}

/** What another process added since it was read is left, for that process takes it in when it ends. */
export function removeJournal(root: string, { text }: Journal): void {
  const file = fileOf(root);
  if (file !== undefined && text !== '' && readJournal(root).text === text) removeBelow(root, file);
}
