import { temporaryService } from '../support.ts';

/** Code that a browser or a clipboard might change: CRLF, a mark at the beginning, control characters, no last newline. */
export const exactCode =
  '\ufeffconst a = "x";\r\n\tconst b = `\u0007\u001b[31m\u202e😀`;\rconst c = "</pre>";';

const readme = `# Greet

Greets a person, in \`html\`. See [the guide](https://example.com/guide) and **format_date**.

\`\`\`ts
await greet('ada');
\`\`\`

| word | meaning |
| ---- | ------- |
| name | whom    |
`;

const code = (base: string, id: string) => `import { formatDate } from '${base}/v1/vals/${id}/module';

interface Greeting {
  name: string;
  at: Date;
}

/** Doesn't greet without a name. */
export default function greet(request: Request): Response {
  const name = new URL(request.url).searchParams.get('name') ?? 'world';
  if (name === '') throw new Error('The name is empty.');
  const page = <p className="hello">Don't panic, {name}. It is {\`\${formatDate(new Date())}\`}.</p>;
  return new Response(render(page), { headers: { 'content-type': 'text/html' } });
}
`;

/** A service of a space with two people, some vals and their runs. */
export async function teamOfVals() {
  const service = await temporaryService();
  const ada = await service.addPerson('ada');
  const bob = await service.addPerson('bob');
  await service.addSpace('acme', { ada: 'write', bob: 'write' });

  const write = async (person: typeof ada, method: string, path: string, body: object) => {
    const answer = await person.ask(method, `/@acme/v1${path}`, { body });
    if (answer.status > 299) throw new Error(`${path}: ${answer.text}`);
    return answer.body as { id: string };
  };
  const formatDate = await write(ada, 'POST', '/vals', {
    name: 'format_date',
    code: 'export const formatDate = (date: Date): string => date.toISOString().slice(0, 10);\n',
    privacy: 'public',
  });
  const whole = code(service.baseUrl, formatDate.id);
  const greet = await write(bob, 'POST', '/vals', {
    name: 'greet',
    code: 'export default () => 1;\n',
    readme,
    privacy: 'public',
  });
  await write(ada, 'PUT', '/vals', { name: 'greet', code: whole.replace('  at: Date;\n', '') });
  await write(bob, 'PUT', '/vals', { name: 'greet', code: whole });
  const exact = await write(ada, 'POST', '/vals', { name: 'exact', code: exactCode });
  let nightly = exact;
  for (let version = 1; version <= 21; version++) {
    const code = `export default () => ${version};\n`;
    nightly = await write(bob, 'PUT', '/vals', { name: 'nightly_report', code });
  }

  const run = (id: string, version: number, hoursAgo: number, error: string | null) => {
    const start = Date.now() - hoursAgo * 3_600_000;
    const [runStartAt, runEndAt] = [start, start + 180 + hoursAgo * 9].map((at) =>
      new Date(at).toISOString(),
    );
    const body = { version, runStartAt, runEndAt, error, logs: 'Started.\nDone.\n' };
    return write(hoursAgo % 2 ? ada : bob, 'POST', `/vals/${id}/runs`, body);
  };
  const broken =
    "TypeError: Cannot read properties of undefined (reading 'total')\n    at report (nightly_report.ts:12:9)";
  for (let hour = 60; hour > 0; hour -= 6) await run(greet.id, hour > 30 ? 2 : 3, hour, null);
  for (let hour = 45; hour > 0; hour -= 4) await run(nightly.id, 21, hour, hour % 9 < 3 ? broken : null);
  const failed = await run(nightly.id, 21, 1, broken);
  const ids = { greet: greet.id, formatDate: formatDate.id, exact: exact.id, failed: failed.id };
  return { service, ada, ids };
}
