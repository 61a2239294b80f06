/** `node forward.ts <port> <host> <port there>`: a host's loopback leads to another. Ends with its standard input. */
import { Relay } from '../harness/relay.ts';

const [port = '', host = '', there = ''] = process.argv.slice(2);
await Relay.start('127.0.0.1', { host, port: Number(there) }, Number(port));
process.stdin.resume();
process.stdin.on('close', () => process.exit(0));
