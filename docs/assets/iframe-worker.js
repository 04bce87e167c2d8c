/* Search runs in a worker. Two changes to it:

   Words of a question that say nothing are left out of what the worker is asked. The theme searches
   for every word that begins with one of the query's, so "a" would find "annotate" and "active".

   Browsers refuse workers to pages that were opened from a folder (file:). There the same script
   runs in a frame that nobody sees. */
const EMPTY_WORDS = new Set(("a an and are be by can do does for from get have how i if in is it me my of on or should"
  + " the there this to was what when where which who why will with you your").split(" "));

function withoutEmptyWords(message) {
  if (!message || message.type !== 2 || typeof message.data !== "string") return message;
  const words = message.data.split(/\s+/).filter((word) => !EMPTY_WORDS.has(word.toLowerCase().replace(/\?$/, "")));
  return words.length ? { ...message, data: words.join(" ").replace(/\?/g, "") } : message;
}

if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.title = "Search";
      document.documentElement.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = inside.document.createElement("script");
      this.ready = new Promise((resolve) => script.addEventListener("load", resolve));
      script.src = url;
      inside.document.body.append(script);
    }
    postMessage(message) {
      this.ready.then(() => {
        const inside = this.frame.contentWindow;
        inside.dispatchEvent(new inside.MessageEvent("message", { data: withoutEmptyWords(message) }));
      });
    }
    terminate() {
      this.frame.remove();
    }
  };
  window.Worker = window.IFrameWorker;
} else {
  window.Worker = class extends window.Worker {
    postMessage(message, ...more) {
      super.postMessage(withoutEmptyWords(message), ...more);
    }
  };
}
