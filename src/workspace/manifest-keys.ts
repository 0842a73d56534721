// The keys of vals.json: what the reader takes, and what editors know of them by vals.schema.json.
import { isObject, type JsonObject, type JsonValue } from '../core/lib/json.ts';

interface Shape<Value extends JsonValue> {
  schema: JsonObject;
  is(value: JsonValue): value is Value;
}

export interface ManifestKey<Value extends JsonValue> extends Shape<Value> {
  /** What an error says that vals.json must have. */
  what: string;
}

const text: Shape<string> = {
  schema: { type: 'string', minLength: 1 },
  is: (value): value is string => typeof value === 'string' && value !== '',
};

const listOf = <Item extends JsonValue>({ schema, is }: Shape<Item>): Shape<Item[]> => ({
  schema: { type: 'array', items: schema },
  is: (value): value is Item[] => Array.isArray(value) && value.every(is),
});

const objectOf = <Item extends JsonValue>({ schema, is }: Shape<Item>): Shape<Record<string, Item>> => ({
  schema: { type: 'object', additionalProperties: schema },
  is: (value): value is Record<string, Item> => isObject(value) && Object.values(value).every(is),
});

/** Editors show the description. */
const described = <Value extends JsonValue>(description: string, { schema, is }: Shape<Value>) => ({
  is,
  schema: { description, ...schema },
});

const key = <Value extends JsonValue>(
  what: string,
  description: string,
  shape: Shape<Value>,
): ManifestKey<Value> => ({ what, ...described(description, shape) });

export const manifestKeys = {
  $schema: key(
    'a text',
    'The address of this schema, for editors: its URL, or its path from here, such as ./node_modules/vals/vals.schema.json.',
    text,
  ),
  services: key(
    'a list of base URLs',
    'The services that these vals belong to. Commands that write refuse any other, except one on this machine. The sign-in, VALS_BASE_URL or --base-url chooses the service.',
    listOf(
      described('A base URL, such as https://vals.example.com or https://vals.example.com/@acme.', text),
    ),
  ),
  names: key(
    'an object of texts',
    'Only files whose val has another name than the file: the path of each file below this folder, with / between folders, and the name of its val.',
    objectOf(described('The name of the val.', text)),
  ),
  privacy: key(
    'a word',
    'What new vals are made with: private, unlisted or public. Without it, the service decides.',
    text,
  ),
  ids: key(
    'an object of texts for each service',
    'Only for services that cannot list vals: by the base URL of each service, the ids of the vals. vals writes them; commit them.',
    objectOf(
      described(
        'The base URL of a service.',
        objectOf(
          described(
            'The id of the val that had this name when vals wrote it. The id decides which val it is.',
            text,
          ),
        ),
      ),
    ),
  ),
};

/** The content of vals.schema.json. */
export const manifestSchema = (): JsonObject => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'vals.json',
  description: 'Makes a folder a workspace of vals: every file that `vals push` takes from it is a val.',
  type: 'object',
  properties: Object.fromEntries(Object.entries(manifestKeys).map(([key, { schema }]) => [key, schema])),
  additionalProperties: false,
});
