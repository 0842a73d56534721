import { BadResponseError } from '../errors.ts';
import { type JsonObject, sizeUpTo } from './json.ts';

export interface Page {
  readonly records: readonly JsonObject[];
  readonly isLarge?: boolean;
}

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
