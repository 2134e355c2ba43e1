// Browsers start no workers for pages from the disk, and the site's search is one. From the disk, a
// worker is therefore a hidden frame that runs the same script.
if (location.protocol === "file:") {
	window.Worker = class {
		constructor(url) {
			const frame = document.createElement("iframe");
			frame.hidden = true;
			document.body.appendChild(frame);
			this.inner = frame.contentWindow;
			this.inner.postMessage = (data) => this.onmessage?.({ data });
			this.isReady = new Promise((done) => {
				const script = frame.contentDocument.createElement("script");
				Object.assign(script, { src: url, onload: done });
				frame.contentDocument.body.appendChild(script);
			});
		}

		postMessage(data) {
			this.isReady.then(() => this.inner.onmessage({ data }));
		}
	};
}
