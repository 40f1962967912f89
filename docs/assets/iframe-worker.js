// A browser starts no worker for a page that was opened from the disk: the search then runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(address) {
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.documentElement.append(this.frame);
      const inner = this.frame.contentWindow;
      inner.postMessage = (data) => setTimeout(() => this.onmessage?.({ data }));
      const script = inner.document.createElement("script");
      this.loaded = new Promise((done) => (script.onload = done));
      script.src = new URL(address, location.href).href;
      inner.document.head.append(script);
    }
    postMessage(data) {
      this.loaded.then(() => this.frame.contentWindow?.onmessage({ data }));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
