/** These modules are imported one by one, because undici's index also loads fetch, WebSocket and mocks, at twice the cost. */

declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export default Pool;
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici';
  export default buildConnector;
}
