// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { defineConfig } from "vite";

// `npm run dev` shows the page on a `weft sm --http 127.0.0.1:9115` that runs beside it.
export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: { target: "es2022", modulePreload: false, assetsInlineLimit: 0, reportCompressedSize: false },
  server: { proxy: { "/api": "http://127.0.0.1:9115", "/readyz": "http://127.0.0.1:9115" } },
});
