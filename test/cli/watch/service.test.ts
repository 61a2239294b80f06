/** Which services `millrace watch` takes for ones with the same directories. */
import { hostname, networkInterfaces } from 'node:os';
import t from 'tap';
import { isOfThisMachine } from '../../../src/cli/watch/service.ts';
import { addressText } from '../../../src/lib/listen-address.ts';

t.test('watch: a service at any address of this machine is of this machine', (t) => {
  const cards = Object.values(networkInterfaces()).flatMap((there = []) => there);
  const own = cards.filter(({ scopeid = 0 }) => scopeid === 0).map(({ address }) => address);
  t.ok(own.length > 0);
  for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '::1', hostname(), ...own])
    t.ok(isOfThisMachine(`http://${addressText({ host, port: 8080 })}`), host);
  // Addresses that are kept for documents.
  for (const host of ['192.0.2.1', '2001:db8::1', 'millrace.example', 'localhost.example'])
    t.notOk(isOfThisMachine(`http://${addressText({ host, port: 8080 })}`), host);
  t.end();
});
