/** Ports for programs that need a port number before they start. */
import { randomInt } from 'node:crypto';
import { createServer, type ListenOptions, type Server } from 'node:net';

/** Below Linux's ephemeral ports, so that no connection and no `listen(0)` takes one. */
const PORTS = [12_000, 32_000] as const;

/** Reservations, which end with the process. */
const reserved: Server[] = [];

/**
 * A port of 127.0.0.1 that no program listens on, reserved for this process: no other process gets it from this
 * function. An abstract socket named after the port is the reservation.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...PORTS);
    const reservation = await listen({ path: `\0millrace-port-${port}` });
    if (reservation === undefined) continue;
    const listener = await listen({ host: '127.0.0.1', port });
    if (listener === undefined) {
      reservation.close();
      continue;
    }
    await new Promise((resolve) => listener.close(resolve));
    reserved.push(reservation.unref());
    return port;
  }
}

/** Undefined when the address is taken. */
function listen(options: ListenOptions): Promise<Server | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(options, () => resolve(server));
  });
}
