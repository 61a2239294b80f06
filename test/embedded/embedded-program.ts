/**
 * A program that starts an embedded server and waits to be killed: `node embedded-program.ts <dataDir>
 * [fallbackRoot]`.
 */
import { startEmbedded } from '../../src/embedded/postgres.ts';
import { createLogger } from '../../src/observe/log.ts';

const [dataDir = '', fallbackRoot] = process.argv.slice(2);
const server = await startEmbedded({
  dataDir,
  log: createLogger({ level: 'silent' }),
  ...(fallbackRoot === undefined ? {} : { fallbackRoot }),
});
process.stdout.write(`${JSON.stringify({ url: server.url, pid: server.pid })}\n`);
setInterval(() => undefined, 60_000);
