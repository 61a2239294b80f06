/** Where a client may be sent for a file's content. */
import t from 'tap';
import { canBeSentTo } from '../../../src/api/files/redirect-target.ts';

for (const [target, own, isPossible, why] of [
  ['10.0.0.2:8080', '10.0.0.1:8080', true, 'another host'],
  ['files.example.org:80', '127.0.0.1:8080', true, 'a name'],
  ['127.0.0.1:8081', '127.0.0.1:8080', true, 'two on one host'],
  ['[::1]:8081', '127.0.0.1:8080', true, 'two on one host, in both families'],
  ['localhost:8081', '127.8.8.8:8080', true, 'two on one host, by name'],
  ['127.0.0.1:8080', '127.0.0.1:8080', false, 'two hosts that look alike: back to here'],
  ['127.0.0.1:8080', '10.0.0.1:8080', false, 'another host’s loopback'],
  ['127.9.9.9:8080', '10.0.0.1:8080', false, 'all of 127.0.0.0/8'],
  ['[::1]:8080', '10.0.0.1:8080', false, 'another host’s loopback'],
  ['localhost:8080', '10.0.0.1:8080', false, 'another host’s loopback'],
  ['0.0.0.0:8080', '10.0.0.1:8080', false, 'a wildcard'],
  ['[::]:8080', '127.0.0.1:8080', false, 'a wildcard'],
  ['10.0.0.2:0', '10.0.0.1:8080', false, 'a port that nobody knows'],
  ['', '10.0.0.1:8080', false, 'nothing'],
  ['nonsense', '10.0.0.1:8080', false, 'no address'],
] as const) {
  t.test(`redirect: ${target} from ${own}: ${why}`, async (t) => {
    t.equal(canBeSentTo(target, own), isPossible);
  });
}
