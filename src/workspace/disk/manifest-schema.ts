// The JSON schema of vals.json, for editors.

export const manifestSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'A workspace of vals',
  type: 'object',
  required: ['vals'],
  properties: {
    vals: {
      description: 'Each val by its file, relative to this one, with / between folders.',
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { description: 'The name of the val.', type: 'string', minLength: 1 },
          ids: {
            description:
              'The id of the val on each service, by base URL. Ids of the embedded service are in .vals.',
            type: 'object',
            additionalProperties: { type: 'string', minLength: 1 },
          },
        },
      },
    },
  },
};
