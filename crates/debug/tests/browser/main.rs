//! The page in a browser.

mod chromium;

#[test]
fn it_opens() {
    let (server, _calls) = selvedge_debug::server::Server::start(0).unwrap();
    let page = chromium::browser().open(&server.url());
    eprintln!("{} {:?}", page.evaluate("document.body.innerText"), page.complaints());
    eprintln!("{}", page.evaluate("window.inlineRan"));
    page.screenshot(std::path::Path::new("/tmp/shot.png"));
}
