/** Containers that are killed because of their memory limit, on an engine that learns it too late. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { agentBench } from '../../support/agent/agent-bench.ts';
import { BUSYBOX_IMAGE, engineAt, ensureBusyboxImage } from '../../support/agent/busybox-image.ts';
import { eventually } from '../../support/agent/eventually.ts';
import { makeLaunch } from '../../support/agent/make-launch.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';

interface ForgetfulEngine {
  readonly host: string;
  /** Number of times that it was asked for events. */
  readonly askedCount: () => number;
}

/** Passes calls on to an engine. Its descriptions of containers say that none was killed because of memory. */
async function engineWithoutMemory(t: Test, socketPath: string): Promise<ForgetfulEngine> {
  let askedCount = 0;
  const pass = (call: IncomingMessage, answer: ServerResponse): void => {
    const { method, url = '', headers } = call;
    if (/\/events\b/.test(url)) askedCount += 1;
    const passed = request({ socketPath, method, path: url, headers }, (reply) => {
      const { 'content-length': length, ...others } = reply.headers;
      const isDescription = /\/containers\/[^/]+\/json/.test(url);
      answer.writeHead(reply.statusCode ?? 500, isDescription ? others : reply.headers);
      if (!isDescription) {
        answer.flushHeaders();
        reply.pipe(answer);
        return;
      }
      const pieces: Buffer[] = [];
      reply.on('data', (piece: Buffer) => pieces.push(piece));
      reply.on('end', () => {
        const text = Buffer.concat(pieces).toString();
        answer.end(text.replace('"OOMKilled":true', '"OOMKilled":false'));
      });
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    call.pipe(passed);
  };
  const path = join(t.testdir(), 'engine.sock');
  const server = createServer(pass);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { host: `unix://${path}`, askedCount: () => askedCount };
}

t.test(
  'docker: the engine’s events tell of a kill that its description does not',
  needs('docker'),
  async (t) => {
    const real = await serviceUrl('docker');
    await ensureBusyboxImage(engineAt(real));
    const { host, askedCount } = await engineWithoutMemory(t, real.slice('unix://'.length));
    const bench = await agentBench(t, { executors: ['docker'], docker: { host } });
    await bench.start();
    await bench.coordinator.connected();
    const launch = (executionId: number, script: string) =>
      makeLaunch(executionId, {
        command: `'${script}'`,
        launch: { containerImage: BUSYBOX_IMAGE, resources: { cpus: 1, mem: 16 } },
      });
    bench.coordinator.send(launch(3, 'trap "" TERM; echo up; sleep 600'));
    await eventually(() => bench.coordinator.log(3) === 'up\n', 'the task to begin');
    bench.coordinator.send({ type: 'kill', executionId: 3 });
    bench.coordinator.send(launch(1, 'x=a; while :; do x=$x$x$x; done'));
    const killed = await bench.coordinator.update(1);
    t.match(killed, { outcome: 'FAILED', error: { name: 'out-of-memory' } }, JSON.stringify(killed.error));
    bench.coordinator.send(launch(2, 'exit 137'));
    const other = await bench.coordinator.update(2);
    t.match(other, { outcome: 'FAILED', error: { name: 'docker-terminated' } }, JSON.stringify(other.error));
    t.match(await bench.coordinator.update(3), { outcome: 'CANCELED' });
    t.equal(askedCount(), 2, 'nobody asks who killed a container that the agent has killed');
  },
);
