// A process of its own for tests: `serve <place>` until it is killed, or `push <place> <who> <count>`: start, push, close.
import { request } from 'node:http';
import { startService } from '../../src/service/index.ts';
import { placeOf } from './place.ts';

const [mode, at = '', who = '', count = '0', given] = process.argv.slice(2);
const service = await startService({ ...placeOf(at), port: 0 });
const token = service.token ?? given;

function put(name: string, code: string): Promise<{ status: number; version: number }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${service.baseUrl}/v1/vals`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    });
    outgoing.on('error', reject);
    outgoing.on('response', async (incoming) => {
      let text = '';
      for await (const chunk of incoming) text += chunk;
      resolve({ status: incoming.statusCode ?? 0, version: JSON.parse(text).version });
    });
    outgoing.end(JSON.stringify({ name, code }));
  });
}

if (mode === 'push') {
  const answers: unknown[] = [];
  for (let i = 0; i < Number(count); i++) {
    answers.push(await put('shared', `// ${who} ${i}`), await put(`own_${who}`, `// ${i}`));
  }
  await service.close();
  console.log(JSON.stringify({ token, answers }));
} else {
  console.log(JSON.stringify({ baseUrl: service.baseUrl, token }));
}
