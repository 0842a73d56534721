type Fields = Record<string, string>;

const time = 'time as ISO 8601, such as `2026-01-31T09:30:00.000Z`';

/** The records of the embedded service. Their keys are those of its OpenAPI document. */
export const serviceRecords: Record<string, { title: string; from: string; fields: Fields }> = {
  Val: {
    title: 'A val',
    from: '`val get`, `val create`, `val set`, `version new`, `version restore`, `ls`, `likes`',
    fields: {
      id: 'id of the val',
      name: 'name, unique for each owner',
      code: 'current code; null in lists',
      readme: 'text, or null',
      privacy: '`public`, `unlisted` or `private`',
      public: 'true if the privacy is `public`',
      version: 'number of the current version',
      createdAt: time,
      versionCreatedAt: 'time of the current version',
      updatedAt: 'time of the last change of code, name, readme or privacy',
      'author.id': 'id of the owner: a person or a space',
      'author.username': 'name of the owner',
      'versionAuthor.id': 'id of the person who made the current version',
      'versionAuthor.username': 'name of that person',
      url: 'page of the val',
      'links.self': 'address of the val in the API',
      'links.versions': 'address of its versions in the API',
      'links.module': 'address of its code',
      type: '`script`, `http`, `httpnext`, `email`, `interval`, `express` or `rpc`',
      likeCount: 'number of likes',
      referenceCount: 'number of vals that depend on this val',
    },
  },
  Version: {
    title: 'A version',
    from: '`version ls`; `version get` prints a val with the code of the version',
    fields: {
      val_id: 'id of the val',
      version: 'number of the version',
      createdAt: time,
      'versionAuthor.id': 'id of the person who made the version',
      'versionAuthor.username': 'name of that person',
    },
  },
  RunWithLogs: {
    title: 'A run',
    from: '`runs`, `val runs`, `runs <run>`; `run --json` prints one as `run`',
    fields: {
      id: 'id of the run',
      'val.id': 'id of the val',
      'val.name': 'name of the val',
      'val.version': 'version that ran',
      runStartAt: time,
      runEndAt: 'time of the end',
      error: 'null if the run did not fail, else the text of the error, or an object with `message`',
      logs: 'the end of what the run printed, at most 65,536 bytes, or null; not in lists',
      'reporter.id': 'id of the person who ran it',
      'reporter.username': 'name of that person',
    },
  },
  User: {
    title: 'A user',
    from: '`me`',
    fields: {
      id: 'id of the person or space',
      username: 'name',
      bio: 'text, or null',
      email: 'address',
      profileImageUrl: 'address of a picture, or null',
      tier: 'text, or null',
      url: 'page of the user',
      'links.self': 'address of the user in the API',
      'actor.id': 'only in a space: id of the person who owns the token',
      'actor.username': 'only in a space: name of that person',
    },
  },
  Comment: {
    title: 'A comment',
    from: '`comments`',
    fields: {
      id: 'id of the comment',
      comment: 'text',
      createdAt: time,
      'author.id': 'id of the person who wrote it',
      'author.username': 'name of that person',
      'val.id': 'id of the val',
      'val.name': 'name of the val',
      'val.version': 'version of the val',
      'val.privacy': 'privacy of the val',
    },
  },
  Reference: {
    title: 'A reference',
    from: '`refs`',
    fields: {
      'reference.id': 'id of the val that depends on yours',
      'reference.name': 'name of that val',
      'reference.author_id': 'id of its owner',
      'reference.username': 'name of its owner',
      'dependsOn.id': 'id of your val',
      'dependsOn.name': 'name of your val',
      'dependsOn.author_id': 'your id',
      'dependsOn.username': 'your name',
      referencedAt: time,
    },
  },
};

const ownRecords: typeof serviceRecords = {
  Outcome: {
    title: 'An outcome',
    from: '`push`, `pull`, `clone`, `copy`, `forget`, `val rm`, `version rm`',
    fields: {
      file: 'file, as it was found from the current folder',
      name: 'name of the val',
      status:
        '`created`, `pushed`, `renamed`, `pulled`, `merged`, `deleted`, `unchanged`, `behind`, `kept`, `forgotten`, ' +
        '`skipped`, `failed` or `planned`',
      id: 'id of the val, if it is known',
      version: 'version after the command',
      versionBefore: 'version before the command, if it is known',
      error: 'why it failed: see "An error"',
    },
  },
  Summary: {
    title: 'A row of a summary',
    from: '`runs --summary`, `val runs --summary`',
    fields: {
      val: 'name of the val, or its id if it has no name',
      version: 'version that ran',
      runs: 'number of runs',
      failed: 'number of failed runs',
      errorRate: '`failed` divided by `runs`, from 0 to 1',
      p50Ms: 'half of the runs took at most this many milliseconds; null if no run has ended',
      p95Ms: '95% of the runs took at most this many milliseconds',
      'buckets[].from': 'time at which this part of the range begins',
      'buckets[].runs': 'number of runs in this part',
      'buckets[].failed': 'number of failed runs in this part',
    },
  },
  Problem: {
    title: 'A syntax error',
    from: '`check`',
    fields: {
      file: 'file, or `-` for standard input',
      line: 'line, from 1',
      column: 'column in characters, from 1',
      message: 'what is wrong',
    },
  },
  Error: {
    title: 'An error',
    from: 'the key `error` of the last line on stderr with `--json` or `--ndjson`, and of a failed outcome',
    fields: {
      kind:
        '`usage`, `not_found`, `auth`, `conflict`, `refused`, `unavailable`, `unknown_outcome`, `partial`, `local`, ' +
        '`bad_response`, `run_failed`, `interrupted` or `bug`',
      exit: 'exit code',
      message: 'what happened',
      hint: 'what to do next',
      status: 'status of the HTTP response',
      method: 'method of the request',
      path: 'path of the request',
      body: 'body of the response',
    },
  },
};

const longestRun = `vals runs --all --json | jq '
  def ms: (.[:19] + "Z" | fromdate) * 1000 + (.[20:23] | tonumber);
  max_by((.runEndAt | ms) - (.runStartAt | ms))'`;

export const recordSection = (): string[] => [
  '## Fields of the records',
  '`--json` prints records as the service sends them. These are the fields of the embedded service; another service may ' +
    'send other fields. A key without a value is left out of the records that vals makes itself: outcomes, summaries and errors.',
  ...[...Object.values(serviceRecords), ...Object.values(ownRecords)].flatMap(({ title, from, fields }) => [
    `### ${title}`,
    `From ${from}.`,
    [
      '| field | meaning |',
      '| --- | --- |',
      ...Object.entries(fields).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
    ].join('\n'),
  ]),
  'A run has no field for its duration. This finds the longest run:',
  `\`\`\`sh\n${longestRun}\n\`\`\``,
];
