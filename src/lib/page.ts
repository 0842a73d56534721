import { BadResponseError } from '../errors.ts';
import { type JsonObject, sizeUpTo } from './json.ts';
import { interruptible } from './signals.ts';

export interface Page {
  readonly records: readonly JsonObject[];
  readonly isLarge?: boolean;
}

/** Parsing or printing a large page takes so long that the user must be able to interrupt it. */
export const isLarge = (bytes: number): boolean => bytes > 262_144;

export const interruptibleIfLarge = async <T>(page: Pick<Page, 'isLarge'>, work: () => T): Promise<T> =>
  page.isLarge ? interruptible(work) : work();

const mostCharactersInMemory = 16_000_000;

/** A caller that keeps all records must use this, because a few records of a hostile service could fill the memory. */
export async function* withinMemory(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  let characters = 0;
  for await (const page of pages) {
    for (const record of page.records) {
      characters += sizeUpTo(mostCharactersInMemory, record);
      if (characters > mostCharactersInMemory) throw tooLarge();
    }
    yield page;
  }
}

const tooLarge = (): BadResponseError =>
  new BadResponseError(
    `The service sent more than ${mostCharactersInMemory.toLocaleString('en')} characters of a list, so vals stopped reading the list.`,
    { hint: 'To print the records while they arrive, use --ndjson.' },
  );
