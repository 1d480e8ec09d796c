import { createServer, type SecureVersion } from 'node:tls';
import type { AddressInfo, Socket } from 'node:net';

/** Self-signed for localhost and 127.0.0.1, until 2126. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUbG+yH1L3TxPvS/UTeOalV1ggw8gwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTEwMDEwNloYDzIxMjYxMDI4
MTAwMTA2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARwSlhju+eOIqCko5dhdHLYdbB51CmsWAgNeP71A13Lp9d/FX6XR69Z
oRnDu53vWhjGTDALZT8YpE+KTJpvC8I4o28wbTAdBgNVHQ4EFgQU8l41YvBfNoZR
v5aV7fTeDrE158YwHwYDVR0jBBgwFoAU8l41YvBfNoZRv5aV7fTeDrE158YwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgUYixFfmQfiMwG5P3aF2m3qttBT7CnEm2LB0GHHCZGzMCIARw
tQJVD1hF85bzjCPSx+AU6YVcDxi3gS0ecz0WzIr7
-----END CERTIFICATE-----
`;

export const PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgH6A7dpP+ydw9HpIJ
XQYhLHabD2xb071/MsYk34+pDVyhRANCAARwSlhju+eOIqCko5dhdHLYdbB51Cms
WAgNeP71A13Lp9d/FX6XR69ZoRnDu53vWhjGTDALZT8YpE+KTJpvC8I4
-----END PRIVATE KEY-----
`;

export async function tlsServer(maxVersion: SecureVersion = 'TLSv1.3') {
  let received = '';
  // Without this level, OpenSSL itself refuses the old version that the client under test must refuse.
  const old = { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  const server = createServer({ key: PRIVATE_KEY, cert: CERTIFICATE, maxVersion, ...old }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}');
    });
  });
  server.on('tlsClientError', () => undefined);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    received: () => received,
    [Symbol.asyncDispose]: (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
