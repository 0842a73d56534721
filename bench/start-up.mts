import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compare } from './compare.mts';
import { anyCertificate, withFakeService } from './fake-service.mts';
import { timed, timeOf } from './processes.mts';
import type { Bench, Measurement, Sample } from './types.mts';

export const startUp: Measurement = {
  name: 'start-up',
  measure: (bench) =>
    withFakeService({}, ({ env }) => {
      const nothing = timed('node -e 0', bench.node(['-e', '0']));
      return compare(bench.often, [
        { what: timed('vals --version', bench.vals(['--version'])), to: nothing, atMost: 1.1 },
        { what: timed('vals --help', bench.vals(['--help'])), to: nothing, atMost: 1.15 },
        { what: timed('vals me --json', bench.vals(['me', '--json'], { env })), to: nothing, atMost: 3 },
        { what: pushOfOneFile(bench), to: nothing, atMost: 5.5 },
      ]);
    }),
};

function pushOfOneFile(bench: Bench): Sample {
  const file = join(bench.newFolder(), 'hello.ts');
  return {
    name: 'vals push --local of one file',
    take() {
      // A service writes nothing for code that it has, so each push needs new code.
      writeFileSync(file, `export const hello = () => 'hello ${process.hrtime.bigint()}';\n`);
      return timeOf(bench.vals(['push', '--local', file]));
    },
  };
}

export const requests = [oneRequest('http', 2), oneRequest('https', 1.5)];

function oneRequest(protocol: 'http' | 'https', atMost: number): Measurement {
  return {
    name: `request over ${protocol}`,
    measure: (bench) =>
      withFakeService({ secure: protocol === 'https' }, ({ baseUrl, env }) => {
        const script = `require('${protocol}').get('${baseUrl}/v1/me', (response) => {
          let text = '';
          response.on('data', (chunk) => { text += chunk; }).on('end', () => console.log(JSON.parse(text)));
        })`;
        const what = timed(`vals me --json over ${protocol}`, bench.vals(['me', '--json'], { env }));
        const bare = bench.node(['-e', script], { env: anyCertificate });
        return compare(bench.often, [{ what, to: timed(`a script with node:${protocol}`, bare), atMost }]);
      }),
  };
}
