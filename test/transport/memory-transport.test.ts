/** The bus inside one process. */
import t from 'tap';
import { BUS_LIMITS } from '../../src/transport/bus-limits.ts';
import { MemoryNetwork, memoryTransport } from '../../src/transport/memory-transport.ts';
import { Inbox, mail, transportConformance } from '../conformance/transport.ts';

transportConformance(t, 'memory transport', async () => {
  const network = new MemoryNetwork();
  return () => memoryTransport(network);
});

t.test('memory transport: it refuses messages before its start', async (t) => {
  t.equal(memoryTransport(new MemoryNetwork()).send('b', mail('a', 1)), 'refused');
});

t.test('memory transport: messages beyond the limit are refused until others have arrived', async (t) => {
  const deferred: (() => void)[] = [];
  const network = new MemoryNetwork((deliver) => void deferred.push(deliver));
  const [a, b] = [memoryTransport(network), memoryTransport(network)];
  const inbox = new Inbox();
  await a.start('a', () => {});
  await b.start('b', inbox.take);

  for (let n = 0; n < BUS_LIMITS.waitingMax; n++) a.send('b', mail('a', n));
  t.equal(a.send('b', mail('a', -1)), 'refused');
  for (const deliver of deferred.splice(0)) deliver();
  t.equal(inbox.envelopes.length, BUS_LIMITS.waitingMax);
  t.equal(a.send('b', mail('a', 0)), 'sent');
});
