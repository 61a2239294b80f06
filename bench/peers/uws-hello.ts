/** A program: answers every GET with its argument, as JSON. Says `ready <address>`. */
import { App, us_socket_local_port } from 'uWebSockets.js';

const body = process.argv[2] ?? '';
App()
  .get('/*', (response) => {
    response.writeHeader('content-type', 'application/json').end(body);
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket === false) throw new Error('no port');
    process.stdout.write(`ready http://127.0.0.1:${us_socket_local_port(socket)}/\n`);
  });
