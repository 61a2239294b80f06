/**
 * A program: the interface over a database that nobody else works with, so that nothing but its calls is measured. Says
 * `ready <address>`. Argument: the database.
 */
import { apiDeps } from '../../../src/api/deps.ts';
import { apiRoutes } from '../../../src/api/resources.ts';
import { startServer } from '../../../src/http/native/server.ts';
import { createLogger } from '../../../src/observe/log.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { makeCaller } from '../../../test/support/http.ts';
import { idleParts } from '../../../test/support/idle-parts.ts';

const log = createLogger({ level: 'warn', name: 'list-server' });
const database = await openDatabase({ url: process.argv[2] ?? '', log });
const { dispatcher } = makeCaller(apiRoutes('any'), apiDeps(idleParts(database.sql)), {
  nowMs: Date.now,
  isCheckingReplies: false,
});
let requests = 0;
const server = await startServer({
  ...{ host: '127.0.0.1', port: 0, dispatcher, log },
  newRequestId: () => {
    requests += 1;
    return String(requests);
  },
  ...{ bufferedBytesMax: 10_000_000, connectionsMax: 1_000 },
});
process.stdout.write(`ready http://127.0.0.1:${server.port}/\n`);
