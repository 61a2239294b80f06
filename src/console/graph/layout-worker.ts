/** The worker that lays graphs out. The library's own script answers its messages. */
import 'elkjs/lib/elk-worker.min.js';
